// glm_shared_expert: the C++ entry. Made by pyptogen from glm_shared_expert.yaml: changes belong there.
//
// Shared expert of GLM-4.5 (Zeng et al., "GLM-4.5"). SwiGLU feed-forward in W8A8, both activations quantised
// by token.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct glm_shared_expert_args {
  // inputs
  const uint16_t* x;          // bf16[t, h]
  const int8_t* w_gate;       // int8[h, f] @ nz
  const int8_t* w_up;         // int8[h, f] @ nz
  const int8_t* w_down;       // int8[f, h] @ nz
  const float* w_gate_scale;  // fp32[f]
  const float* w_up_scale;    // fp32[f]
  const float* w_down_scale;  // fp32[h]

  // outputs
  uint16_t* y;                // bf16[t, h]

  // sizes
  int64_t t;                  // 1 to 65536
};
static_assert(sizeof(glm_shared_expert_args) == 9 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void glm_shared_expert_cpu(pto_rt::Runtime& runtime, const glm_shared_expert_args& args);
extern "C" void glm_shared_expert_a2a3(pto_rt::Runtime& runtime, const glm_shared_expert_args& args);
