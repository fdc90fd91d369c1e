// gelu: the C++ entry. Made by pyptogen from gelu.yaml: changes belong there.
//
// Gaussian error linear unit, x times the normal distribution function (Hendrycks and Gimpel, "Gaussian Error
// Linear Units"), in bf16, computed in fp32.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct gelu_args {
  // inputs
  const uint16_t* x;  // bf16[rows, cols]

  // outputs
  uint16_t* y;        // bf16[rows, cols]

  // sizes
  int64_t rows;       // 1 to 1048576
};
static_assert(sizeof(gelu_args) == 3 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void gelu_cpu(pto_rt::Runtime& runtime, const gelu_args& args);
extern "C" void gelu_a2a3(pto_rt::Runtime& runtime, const gelu_args& args);
