// gelu_tanh: the C++ entry. Made by pyptogen from gelu_tanh.yaml: changes belong there.
//
// The tanh form of the Gaussian error linear unit, in bf16, computed in fp32.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct gelu_tanh_args {
  // inputs
  const uint16_t* x;  // bf16[rows, cols]

  // outputs
  uint16_t* y;        // bf16[rows, cols]

  // sizes
  int64_t rows;       // 1 to 1048576
};
static_assert(sizeof(gelu_tanh_args) == 3 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void gelu_tanh_cpu(pto_rt::Runtime& runtime, const gelu_tanh_args& args);
extern "C" void gelu_tanh_a2a3(pto_rt::Runtime& runtime, const gelu_tanh_args& args);
