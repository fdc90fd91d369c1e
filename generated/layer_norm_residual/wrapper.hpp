// layer_norm_residual: the C++ entry. Made by pyptogen from layer_norm_residual.yaml: changes belong there.
//
// Layer normalisation of the sum of a tensor and a residual, which is returned too.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct layer_norm_residual_args {
  // inputs
  const float* x;         // fp32[rows, cols]
  const float* residual;  // fp32[rows, cols]
  const float* gamma;     // fp32[cols]
  const float* beta;      // fp32[cols]

  // outputs
  float* y;               // fp32[rows, cols]
  float* sum;             // fp32[rows, cols]

  // sizes
  int64_t rows;           // 1 to 1048576

  // scalars
  double eps;             // fp32
};
static_assert(sizeof(layer_norm_residual_args) == 8 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void layer_norm_residual_cpu(pto_rt::Runtime& runtime, const layer_norm_residual_args& args);
extern "C" void layer_norm_residual_a2a3(pto_rt::Runtime& runtime, const layer_norm_residual_args& args);
