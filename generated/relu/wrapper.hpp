// relu: the C++ entry. Made by pyptogen from relu.yaml: changes belong there.
//
// Rectified linear unit, in bf16.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct relu_args {
  // inputs
  const uint16_t* x;  // bf16[rows, cols]

  // outputs
  uint16_t* y;        // bf16[rows, cols]

  // sizes
  int64_t rows;       // 1 to 1048576
};
static_assert(sizeof(relu_args) == 3 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void relu_cpu(pto_rt::Runtime& runtime, const relu_args& args);
extern "C" void relu_a2a3(pto_rt::Runtime& runtime, const relu_args& args);
