// argsort: the C++ entry. Made by pyptogen from argsort.yaml: changes belong there.
//
// The places that sort each row in rising order; equal values stay in order.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct argsort_args {
  // inputs
  const float* x;  // fp32[rows, cols]

  // outputs
  int32_t* y;      // int32[rows, cols]

  // sizes
  int64_t rows;    // 1 to 1048576
};
static_assert(sizeof(argsort_args) == 3 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void argsort_cpu(pto_rt::Runtime& runtime, const argsort_args& args);
extern "C" void argsort_a2a3(pto_rt::Runtime& runtime, const argsort_args& args);
