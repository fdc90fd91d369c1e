// swiglu_backward: the C++ entry. Made by pyptogen from swiglu_backward.yaml: changes belong there.
//
// Gradients of swiglu for both inputs, computed in fp32.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct swiglu_backward_args {
  // inputs
  const uint16_t* gate;  // bf16[rows, cols]
  const uint16_t* up;    // bf16[rows, cols]
  const uint16_t* d_y;   // bf16[rows, cols]

  // outputs
  uint16_t* d_gate;      // bf16[rows, cols]
  uint16_t* d_up;        // bf16[rows, cols]

  // sizes
  int64_t rows;          // 1 to 1048576
};
static_assert(sizeof(swiglu_backward_args) == 6 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void swiglu_backward_cpu(pto_rt::Runtime& runtime, const swiglu_backward_args& args);
extern "C" void swiglu_backward_a2a3(pto_rt::Runtime& runtime, const swiglu_backward_args& args);
