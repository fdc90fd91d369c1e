// layer_norm: the C++ entry. Made by pyptogen from layer_norm.yaml: changes belong there.
//
// Layer normalisation over the last axis (Ba, Kiros and Hinton, "Layer normalization", 2016).
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct layer_norm_args {
  // inputs
  const float* x;      // fp32[rows, cols]
  const float* gamma;  // fp32[cols]
  const float* beta;   // fp32[cols]

  // outputs
  float* y;            // fp32[rows, cols]

  // sizes
  int64_t rows;        // 1 to 1048576

  // scalars
  double eps;          // fp32
};
static_assert(sizeof(layer_norm_args) == 6 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void layer_norm_cpu(pto_rt::Runtime& runtime, const layer_norm_args& args);
extern "C" void layer_norm_a2a3(pto_rt::Runtime& runtime, const layer_norm_args& args);
