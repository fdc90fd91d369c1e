// mla_indexer_prolog: the C++ entry. Made by pyptogen from mla_indexer_prolog.yaml: changes belong there.
//
// All that comes before sparse attention in a layer (DeepSeek-AI, "DeepSeek-V3.2"), one of four tensor-
// parallel parts of the latent attention and the whole lightning indexer, in one graph. The hidden state is
// normalised once; the latent query, quantised once, feeds the heads of both. Rotary columns are expected in
// half-split order.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct mla_indexer_prolog_args {
  // inputs
  const uint16_t* x;         // bf16[t, h]
  const uint16_t* gamma;     // bf16[h]
  const uint16_t* w_dq;      // bf16[h, q_rank] @ nz
  const int8_t* w_uq;        // int8[q_rank, heads * (nope + r)] @ nz
  const float* w_uq_scale;   // fp32[heads * (nope + r)]
  const uint16_t* w_uk;      // bf16[heads, nope, kv_rank] @ nz
  const uint16_t* w_dkv;     // bf16[h, kv_rank] @ nz
  const uint16_t* w_kr;      // bf16[h, r] @ nz
  const int8_t* w_iq;        // int8[q_rank, d * index_heads] @ nz
  const float* w_iq_scale;   // fp32[d * index_heads]
  const uint16_t* w_ik;      // bf16[h, d] @ nz
  const uint16_t* w_iw;      // bf16[h, index_heads] @ nz
  const uint16_t* q_gamma;   // bf16[q_rank]
  const uint16_t* kv_gamma;  // bf16[kv_rank]
  const uint16_t* ik_gamma;  // bf16[d]
  const uint16_t* ik_beta;   // bf16[d]
  const uint16_t* cos;       // bf16[t, r]
  const uint16_t* sin;       // bf16[t, r]
  const uint16_t* hadamard;  // bf16[d, d]
  uint16_t* kv_cache;        // bf16[slots, kv_rank], in place
  uint16_t* kr_cache;        // bf16[slots, r], in place
  int8_t* ik_cache;          // int8[slots, d], in place
  uint16_t* ik_scale;        // fp16[slots, 1], in place
  const int64_t* slot;       // int64[t]

  // outputs
  uint16_t* q_nope;          // bf16[t, heads, kv_rank]
  uint16_t* q_rope;          // bf16[t, heads, r]
  int8_t* iq;                // int8[t, index_heads, d]
  uint16_t* iq_scale;        // fp16[t, index_heads, 1]
  uint16_t* weights;         // fp16[t, index_heads]

  // sizes
  int64_t t;                 // 1 to 16384
  int64_t slots;             // 1 to 16777216

  // scalars
  double eps;                // fp32
};
static_assert(sizeof(mla_indexer_prolog_args) == 32 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void mla_indexer_prolog_cpu(pto_rt::Runtime& runtime, const mla_indexer_prolog_args& args);
extern "C" void mla_indexer_prolog_a2a3(pto_rt::Runtime& runtime, const mla_indexer_prolog_args& args);
