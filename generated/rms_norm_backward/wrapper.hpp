// rms_norm_backward: the C++ entry. Made by pyptogen from rms_norm_backward.yaml: changes belong there.
//
// Gradients of rms_norm for its input and its gain.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct rms_norm_backward_args {
  // inputs
  const float* x;      // fp32[rows, cols]
  const float* gamma;  // fp32[cols]
  const float* d_y;    // fp32[rows, cols]

  // outputs
  float* d_x;          // fp32[rows, cols]
  float* d_gamma;      // fp32[cols]

  // sizes
  int64_t rows;        // 1 to 1048576

  // scalars
  double eps;          // fp32
};
static_assert(sizeof(rms_norm_backward_args) == 7 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void rms_norm_backward_cpu(pto_rt::Runtime& runtime, const rms_norm_backward_args& args);
extern "C" void rms_norm_backward_a2a3(pto_rt::Runtime& runtime, const rms_norm_backward_args& args);
