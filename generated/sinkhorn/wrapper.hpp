// sinkhorn: the C++ entry. Made by pyptogen from sinkhorn.yaml: changes belong there.
//
// Matrices of 4 x 4 are made doubly stochastic; rows and columns are divided by their sums in turn, four
// times (Sinkhorn and Knopp 1967).
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct sinkhorn_args {
  // inputs
  const float* x;  // fp32[t, n, n]

  // outputs
  float* y;        // fp32[t, n, n]

  // sizes
  int64_t t;       // 1 to 1048576
};
static_assert(sizeof(sinkhorn_args) == 3 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void sinkhorn_cpu(pto_rt::Runtime& runtime, const sinkhorn_args& args);
extern "C" void sinkhorn_a2a3(pto_rt::Runtime& runtime, const sinkhorn_args& args);
