// reductions: the C++ entry. Made by pyptogen from reductions.yaml: changes belong there.
//
// Sum, largest, least, mean, product and variance of each row, and sum and largest of each column.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct reductions_args {
  // inputs
  const float* x;         // fp32[rows, cols]

  // outputs
  float* total;           // fp32[rows]
  float* largest;         // fp32[rows]
  float* least;           // fp32[rows]
  float* average;         // fp32[rows]
  float* product;         // fp32[rows]
  float* spread;          // fp32[rows]
  float* column_total;    // fp32[cols]
  float* column_largest;  // fp32[cols]

  // sizes
  int64_t rows;           // 2 to 1048576
};
static_assert(sizeof(reductions_args) == 10 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void reductions_cpu(pto_rt::Runtime& runtime, const reductions_args& args);
extern "C" void reductions_a2a3(pto_rt::Runtime& runtime, const reductions_args& args);
