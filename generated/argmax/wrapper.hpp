// argmax: the C++ entry. Made by pyptogen from argmax.yaml: changes belong there.
//
// Place of the largest value of each row, the first of equal ones.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct argmax_args {
  // inputs
  const float* x;  // fp32[rows, cols]

  // outputs
  int32_t* y;      // int32[rows, 1]

  // sizes
  int64_t rows;    // 1 to 1048576
};
static_assert(sizeof(argmax_args) == 3 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void argmax_cpu(pto_rt::Runtime& runtime, const argmax_args& args);
extern "C" void argmax_a2a3(pto_rt::Runtime& runtime, const argmax_args& args);
