// moe_gate_softmax: the C++ entry. Made by pyptogen from moe_gate_softmax.yaml: changes belong there.
//
// Router of a mixture of experts (Shazeer et al., "Outrageously Large Neural Networks"; as Qwen3-Next has
// it). The experts with the greatest scores, and their shares of the softmax, which sum up to 1.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct moe_gate_softmax_args {
  // inputs
  const uint16_t* x;  // bf16[t, h]
  const uint16_t* w;  // bf16[h, experts] @ nz

  // outputs
  float* weight;      // fp32[t, 10]
  int32_t* expert;    // int32[t, 10]

  // sizes
  int64_t t;          // 1 to 65536
};
static_assert(sizeof(moe_gate_softmax_args) == 5 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void moe_gate_softmax_cpu(pto_rt::Runtime& runtime, const moe_gate_softmax_args& args);
extern "C" void moe_gate_softmax_a2a3(pto_rt::Runtime& runtime, const moe_gate_softmax_args& args);
