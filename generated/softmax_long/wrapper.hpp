// softmax_long: the C++ entry. Made by pyptogen from softmax_long.yaml: changes belong there.
//
// Softmax of rows that fit no vector memory of an NPU. There the statistics walk over the row in chunks, cut
// by hand.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct softmax_long_args {
  // inputs
  const float* x;  // fp32[rows, cols]

  // outputs
  float* y;        // fp32[rows, cols]

  // sizes
  int64_t rows;    // 1 to 65536
};
static_assert(sizeof(softmax_long_args) == 3 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void softmax_long_cpu(pto_rt::Runtime& runtime, const softmax_long_args& args);
extern "C" void softmax_long_a2a3(pto_rt::Runtime& runtime, const softmax_long_args& args);
