// log_softmax: the C++ entry. Made by pyptogen from log_softmax.yaml: changes belong there.
//
// Logarithm of the softmax over the last axis.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct log_softmax_args {
  // inputs
  const float* x;  // fp32[rows, cols]

  // outputs
  float* y;        // fp32[rows, cols]

  // sizes
  int64_t rows;    // 1 to 1048576
};
static_assert(sizeof(log_softmax_args) == 3 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void log_softmax_cpu(pto_rt::Runtime& runtime, const log_softmax_args& args);
extern "C" void log_softmax_a2a3(pto_rt::Runtime& runtime, const log_softmax_args& args);
