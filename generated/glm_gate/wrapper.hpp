// glm_gate: the C++ entry. Made by pyptogen from glm_gate.yaml: changes belong there.
//
// Router of GLM-4.5 (Zeng et al., "GLM-4.5"). Scores of the experts in fp32, and scores with the bias that
// balances load.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct glm_gate_args {
  // inputs
  const float* x;     // fp32[t, h]
  const float* w;     // fp32[h, experts] @ nz
  const float* bias;  // fp32[experts]

  // outputs
  float* score;       // fp32[t, experts]
  float* choice;      // fp32[t, experts]

  // sizes
  int64_t t;          // 1 to 65536
};
static_assert(sizeof(glm_gate_args) == 6 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void glm_gate_cpu(pto_rt::Runtime& runtime, const glm_gate_args& args);
extern "C" void glm_gate_a2a3(pto_rt::Runtime& runtime, const glm_gate_args& args);
