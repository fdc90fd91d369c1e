// indexer_prolog_v4: the C++ entry. Made by pyptogen from indexer_prolog_v4.yaml: changes belong there.
//
// What comes before the lightning indexer (DeepSeek-AI, "DeepSeek-V4"). Quantised index queries, whose last
// columns are roped, and head weights; keys come from the compressor, so no cache is written here. Rotary
// columns are expected in half-split order.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct indexer_prolog_v4_args {
  // inputs
  const uint16_t* x;          // bf16[t, h]
  const int8_t* q_norm;       // int8[t, q_rank]
  const float* q_norm_scale;  // fp32[t, 1]
  const int8_t* w_qb;         // int8[q_rank, d * heads] @ nz
  const float* w_qb_scale;    // fp32[d * heads, 1]
  const uint16_t* w_proj;     // bf16[h, heads] @ nz
  const uint16_t* cos;        // bf16[t, r]
  const uint16_t* sin;        // bf16[t, r]
  const uint16_t* hadamard;   // bf16[d, d]

  // outputs
  int8_t* q;                  // int8[t, heads, d]
  uint16_t* q_scale;          // fp16[t, heads, 1]
  uint16_t* weights;          // fp16[t, heads]

  // sizes
  int64_t t;                  // 1 to 65536
};
static_assert(sizeof(indexer_prolog_v4_args) == 13 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void indexer_prolog_v4_cpu(pto_rt::Runtime& runtime, const indexer_prolog_v4_args& args);
extern "C" void indexer_prolog_v4_a2a3(pto_rt::Runtime& runtime, const indexer_prolog_v4_args& args);
