// transpose_copy: the C++ entry. Made by pyptogen from transpose_copy.yaml: changes belong there.
//
// A matrix, transposed in memory. The kernel is C++ by hand.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct transpose_copy_args {
  // inputs
  const float* x;  // fp32[rows, cols]

  // outputs
  float* y;        // fp32[cols, rows]

  // sizes
  int64_t rows;    // 1 to 65536
};
static_assert(sizeof(transpose_copy_args) == 3 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void transpose_copy_cpu(pto_rt::Runtime& runtime, const transpose_copy_args& args);
extern "C" void transpose_copy_a2a3(pto_rt::Runtime& runtime, const transpose_copy_args& args);
