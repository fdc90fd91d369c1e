// mla_prolog: the C++ entry. Made by pyptogen from mla_prolog.yaml: changes belong there.
//
// What comes before multi-head latent attention (DeepSeek-AI, "DeepSeek-V2" and "DeepSeek-V3.2"), one of four
// tensor-parallel parts. Query by way of its latent vector, which is quantised by token and returned for the
// indexer; absorption of the key projection; update of the latent cache and of the rotary key cache. Rotary
// columns are expected in half-split order.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct mla_prolog_args {
  // inputs
  const uint16_t* x;         // bf16[t, h]
  const uint16_t* w_dq;      // bf16[h, q_rank] @ nz
  const int8_t* w_uq;        // int8[q_rank, heads * (nope + r)] @ nz
  const float* w_uq_scale;   // fp32[heads * (nope + r)]
  const uint16_t* w_uk;      // bf16[heads, nope, kv_rank] @ nz
  const uint16_t* w_dkv;     // bf16[h, kv_rank] @ nz
  const uint16_t* w_kr;      // bf16[h, r] @ nz
  const uint16_t* q_gamma;   // bf16[q_rank]
  const uint16_t* kv_gamma;  // bf16[kv_rank]
  const uint16_t* cos;       // bf16[t, r]
  const uint16_t* sin;       // bf16[t, r]
  uint16_t* kv_cache;        // bf16[slots, kv_rank], in place
  uint16_t* kr_cache;        // bf16[slots, r], in place
  const int64_t* slot;       // int64[t]

  // outputs
  uint16_t* q_nope;          // bf16[t, heads, kv_rank]
  uint16_t* q_rope;          // bf16[t, heads, r]
  int8_t* q_norm;            // int8[t, q_rank]
  float* q_norm_scale;       // fp32[t, 1]

  // sizes
  int64_t t;                 // 1 to 65536
  int64_t slots;             // 1 to 16777216

  // scalars
  double eps;                // fp32
};
static_assert(sizeof(mla_prolog_args) == 21 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void mla_prolog_cpu(pto_rt::Runtime& runtime, const mla_prolog_args& args);
extern "C" void mla_prolog_a2a3(pto_rt::Runtime& runtime, const mla_prolog_args& args);
