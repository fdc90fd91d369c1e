// glm_attention_pre: the C++ entry. Made by pyptogen from glm_attention_pre.yaml: changes belong there.
//
// What comes before attention in a layer of GLM-4.5 (Zeng et al., "GLM-4.5"), one of eight tensor-parallel
// parts. Residual sum, RMS norm, W8A8 projection to query, key and value with bias, norm of each head of
// query and key, rotary embedding of the first half of each head, update of the key and value caches.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct glm_attention_pre_args {
  // inputs
  const uint16_t* x;         // bf16[t, h]
  const uint16_t* residual;  // bf16[t, h]
  const uint16_t* gamma;     // bf16[h]
  const int8_t* w_q;         // int8[h, d * heads] @ nz
  const int8_t* w_k;         // int8[h, d] @ nz
  const int8_t* w_v;         // int8[h, d] @ nz
  const float* q_scale;      // fp32[d * heads]
  const float* k_scale;      // fp32[d]
  const float* v_scale;      // fp32[d]
  const float* q_bias;       // fp32[d * heads]
  const float* k_bias;       // fp32[d]
  const float* v_bias;       // fp32[d]
  const uint16_t* q_gamma;   // bf16[d]
  const uint16_t* k_gamma;   // bf16[d]
  const uint16_t* cos;       // bf16[t, r]
  const uint16_t* sin;       // bf16[t, r]
  uint16_t* k_cache;         // bf16[slots, d], in place
  uint16_t* v_cache;         // bf16[slots, d], in place
  const int64_t* slot;       // int64[t]

  // outputs
  uint16_t* q;               // bf16[t, heads, d]
  uint16_t* sum;             // bf16[t, h]

  // sizes
  int64_t t;                 // 1 to 65536
  int64_t slots;             // 1 to 16777216

  // scalars
  double eps;                // fp32
};
static_assert(sizeof(glm_attention_pre_args) == 24 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void glm_attention_pre_cpu(pto_rt::Runtime& runtime, const glm_attention_pre_args& args);
extern "C" void glm_attention_pre_a2a3(pto_rt::Runtime& runtime, const glm_attention_pre_args& args);
