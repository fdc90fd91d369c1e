// sparse_attention: the C++ entry. Made by pyptogen from sparse_attention.yaml: changes belong there.
//
// Sparse attention (DeepSeek-AI, "DeepSeek-V3.2"). Each query attends to the tokens that the lightning
// indexer selected for it; all heads share one compressed key, whose first columns are also the value (multi-
// head latent attention with absorbed weights).
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct sparse_attention_args {
  // inputs
  const uint16_t* q;       // bf16[t, heads, width]
  const uint16_t* latent;  // bf16[kv, width]
  const int32_t* index;    // int32[t, selected]

  // outputs
  uint16_t* o;             // bf16[t, heads, rank]

  // sizes
  int64_t t;               // 1 to 16384
  int64_t kv;              // 1 to 1048576
};
static_assert(sizeof(sparse_attention_args) == 6 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void sparse_attention_cpu(pto_rt::Runtime& runtime, const sparse_attention_args& args);
extern "C" void sparse_attention_a2a3(pto_rt::Runtime& runtime, const sparse_attention_args& args);
