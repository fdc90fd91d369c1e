// column_sum: the C++ entry. Made by pyptogen from column_sum.yaml: changes belong there.
//
// Sum over the rows, as for the gradient of a bias.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct column_sum_args {
  // inputs
  const float* x;  // fp32[rows, cols]

  // outputs
  float* y;        // fp32[1, cols]

  // sizes
  int64_t rows;    // 1 to 1048576
};
static_assert(sizeof(column_sum_args) == 3 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void column_sum_cpu(pto_rt::Runtime& runtime, const column_sum_args& args);
extern "C" void column_sum_a2a3(pto_rt::Runtime& runtime, const column_sum_args& args);
