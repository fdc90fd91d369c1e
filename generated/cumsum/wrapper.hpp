// cumsum: the C++ entry. Made by pyptogen from cumsum.yaml: changes belong there.
//
// Running sums along each row.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct cumsum_args {
  // inputs
  const float* x;  // fp32[rows, cols]

  // outputs
  float* y;        // fp32[rows, cols]

  // sizes
  int64_t rows;    // 1 to 1048576
};
static_assert(sizeof(cumsum_args) == 3 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void cumsum_cpu(pto_rt::Runtime& runtime, const cumsum_args& args);
extern "C" void cumsum_a2a3(pto_rt::Runtime& runtime, const cumsum_args& args);
