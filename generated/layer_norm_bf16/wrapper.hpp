// layer_norm_bf16: the C++ entry. Made by pyptogen from layer_norm_bf16.yaml: changes belong there.
//
// Layer normalisation over the last axis, in bf16, computed in fp32 (Ba, Kiros and Hinton, "Layer
// normalization", 2016).
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct layer_norm_bf16_args {
  // inputs
  const uint16_t* x;      // bf16[rows, cols]
  const uint16_t* gamma;  // bf16[cols]
  const uint16_t* beta;   // bf16[cols]

  // outputs
  uint16_t* y;            // bf16[rows, cols]

  // sizes
  int64_t rows;           // 1 to 1048576

  // scalars
  double eps;             // fp32
};
static_assert(sizeof(layer_norm_bf16_args) == 6 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void layer_norm_bf16_cpu(pto_rt::Runtime& runtime, const layer_norm_bf16_args& args);
extern "C" void layer_norm_bf16_a2a3(pto_rt::Runtime& runtime, const layer_norm_bf16_args& args);
