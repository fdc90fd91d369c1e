// indexer_prolog: the C++ entry. Made by pyptogen from indexer_prolog.yaml: changes belong there.
//
// First half of DeepSeek-V3.2 sparse attention. Quantised index queries, quantised key cache update, head
// weights.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct indexer_prolog_args {
  // inputs
  const uint16_t* x;           // bf16[t, h]
  const int8_t* q_norm;        // int8[t, q_rank]
  const float* q_norm_scale;   // fp32[t, 1]
  const int8_t* w_qb;          // int8[q_rank, d * heads] @ nz
  const float* w_qb_scale;     // fp32[d * heads, 1]
  const uint16_t* w_k;         // bf16[h, d] @ nz
  const uint16_t* w_proj;      // bf16[h, heads] @ nz
  const uint16_t* ln_gamma;    // bf16[d]
  const uint16_t* ln_beta;     // bf16[d]
  const uint16_t* cos;         // bf16[t, r]
  const uint16_t* sin;         // bf16[t, r]
  const uint16_t* hadamard_q;  // bf16[d, d]
  const uint16_t* hadamard_k;  // bf16[d, d]
  int8_t* k_cache;             // int8[blocks, block_size, 1, d], in place
  uint16_t* k_scale_cache;     // fp16[blocks, block_size, 1, 1], in place
  const int64_t* k_index;      // int64[t]

  // outputs
  int8_t* q;                   // int8[t, heads, d]
  uint16_t* q_scale;           // fp16[t, heads, 1]
  uint16_t* weights;           // fp16[t, heads]

  // sizes
  int64_t t;                   // 1 to 16384
  int64_t blocks;              // 1 to 1048576

  // scalars
  double eps;                  // fp32
};
static_assert(sizeof(indexer_prolog_args) == 22 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void indexer_prolog_cpu(pto_rt::Runtime& runtime, const indexer_prolog_args& args);
extern "C" void indexer_prolog_a2a3(pto_rt::Runtime& runtime, const indexer_prolog_args& args);
