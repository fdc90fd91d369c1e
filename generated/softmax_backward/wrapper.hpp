// softmax_backward: the C++ entry. Made by pyptogen from softmax_backward.yaml: changes belong there.
//
// Gradient of softmax for its input, from its output.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct softmax_backward_args {
  // inputs
  const float* y;    // fp32[rows, cols]
  const float* d_y;  // fp32[rows, cols]

  // outputs
  float* d_x;        // fp32[rows, cols]

  // sizes
  int64_t rows;      // 1 to 1048576
};
static_assert(sizeof(softmax_backward_args) == 4 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void softmax_backward_cpu(pto_rt::Runtime& runtime, const softmax_backward_args& args);
extern "C" void softmax_backward_a2a3(pto_rt::Runtime& runtime, const softmax_backward_args& args);
