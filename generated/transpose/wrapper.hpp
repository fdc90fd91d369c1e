// transpose: the C++ entry. Made by pyptogen from transpose.yaml: changes belong there.
//
// Rows become columns, for each matrix of a batch.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct transpose_args {
  // inputs
  const float* x;  // fp32[batch, m, n]

  // outputs
  float* y;        // fp32[batch, n, m]

  // sizes
  int64_t batch;   // 1 to 65536
  int64_t m;       // 1 to 65536
};
static_assert(sizeof(transpose_args) == 4 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void transpose_cpu(pto_rt::Runtime& runtime, const transpose_args& args);
extern "C" void transpose_a2a3(pto_rt::Runtime& runtime, const transpose_args& args);
