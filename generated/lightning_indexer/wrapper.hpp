// lightning_indexer: the C++ entry. Made by pyptogen from lightning_indexer.yaml: changes belong there.
//
// Which keys each query attends to in DeepSeek-V3.2 sparse attention. Score of a key is the weighted sum over
// indexer heads of relu(q k^T); the best ones that a query sees are selected, as `sparse_attention` takes
// them. Among equal scores the first key comes first.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct lightning_indexer_args {
  // inputs
  const uint16_t* q;     // bf16[t, heads, d]
  const uint16_t* k;     // bf16[kv, d]
  const float* weights;  // fp32[t, heads]
  const int32_t* seen;   // int32[t]

  // outputs
  int32_t* index;        // int32[t, 2048]
  float* score;          // fp32[t, 2048]

  // sizes
  int64_t t;             // 1 to 16384
  int64_t kv;            // 2048 to 131072
};
static_assert(sizeof(lightning_indexer_args) == 8 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void lightning_indexer_cpu(pto_rt::Runtime& runtime, const lightning_indexer_args& args);
extern "C" void lightning_indexer_a2a3(pto_rt::Runtime& runtime, const lightning_indexer_args& args);
