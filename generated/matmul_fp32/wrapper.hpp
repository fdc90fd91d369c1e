// matmul_fp32: the C++ entry. Made by pyptogen from matmul_fp32.yaml: changes belong there.
//
// Matrix product in fp32.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct matmul_fp32_args {
  // inputs
  const float* a;  // fp32[m, k]
  const float* b;  // fp32[k, n] @ nz

  // outputs
  float* c;        // fp32[m, n]

  // sizes
  int64_t m;       // 1 to 1048576
};
static_assert(sizeof(matmul_fp32_args) == 4 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void matmul_fp32_cpu(pto_rt::Runtime& runtime, const matmul_fp32_args& args);
extern "C" void matmul_fp32_a2a3(pto_rt::Runtime& runtime, const matmul_fp32_args& args);
