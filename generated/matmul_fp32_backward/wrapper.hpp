// matmul_fp32_backward: the C++ entry. Made by pyptogen from matmul_fp32_backward.yaml: changes belong there.
//
// Gradients of a matrix product in fp32 for both factors.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct matmul_fp32_backward_args {
  // inputs
  const float* a;    // fp32[m, k]
  const float* b;    // fp32[k, n]
  const float* d_c;  // fp32[m, n]

  // outputs
  float* d_a;        // fp32[m, k]
  float* d_b;        // fp32[k, n]

  // sizes
  int64_t m;         // 1 to 65536
};
static_assert(sizeof(matmul_fp32_backward_args) == 6 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void matmul_fp32_backward_cpu(pto_rt::Runtime& runtime, const matmul_fp32_backward_args& args);
extern "C" void matmul_fp32_backward_a2a3(pto_rt::Runtime& runtime, const matmul_fp32_backward_args& args);
