// glm_expert_selector: the C++ entry. Made by pyptogen from glm_expert_selector.yaml: changes belong there.
//
// Choice of experts in GLM-4.5 (Zeng et al., "GLM-4.5"), after `glm_gate`. The experts with the greatest
// biased scores, and their own scores, normalised to sum up to `scale`.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct glm_expert_selector_args {
  // inputs
  const float* score;   // fp32[t, experts]
  const float* choice;  // fp32[t, experts]

  // outputs
  float* weight;        // fp32[t, 8]
  int32_t* expert;      // int32[t, 8]

  // sizes
  int64_t t;            // 1 to 65536

  // scalars
  double scale;         // fp32
};
static_assert(sizeof(glm_expert_selector_args) == 6 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void glm_expert_selector_cpu(pto_rt::Runtime& runtime, const glm_expert_selector_args& args);
extern "C" void glm_expert_selector_a2a3(pto_rt::Runtime& runtime, const glm_expert_selector_args& args);
