// rms_norm_residual: the C++ entry. Made by pyptogen from rms_norm_residual.yaml: changes belong there.
//
// Root-mean-square normalisation of the sum of a tensor and a residual, which is returned too; bf16, computed
// in fp32.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct rms_norm_residual_args {
  // inputs
  const uint16_t* x;         // bf16[rows, cols]
  const uint16_t* residual;  // bf16[rows, cols]
  const uint16_t* gamma;     // bf16[cols]

  // outputs
  uint16_t* y;               // bf16[rows, cols]
  uint16_t* sum;             // bf16[rows, cols]

  // sizes
  int64_t rows;              // 1 to 1048576

  // scalars
  double eps;                // fp32
};
static_assert(sizeof(rms_norm_residual_args) == 7 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void rms_norm_residual_cpu(pto_rt::Runtime& runtime, const rms_norm_residual_args& args);
extern "C" void rms_norm_residual_a2a3(pto_rt::Runtime& runtime, const rms_norm_residual_args& args);
