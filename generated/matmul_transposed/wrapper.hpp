// matmul_transposed: the C++ entry. Made by pyptogen from matmul_transposed.yaml: changes belong there.
//
// Product of the transposes of two bf16 matrices, read where they lie; fp32 result.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct matmul_transposed_args {
  // inputs
  const uint16_t* a;  // bf16[k, m]
  const uint16_t* b;  // bf16[n, k]

  // outputs
  float* c;           // fp32[m, n]

  // sizes
  int64_t m;          // 1 to 65536
};
static_assert(sizeof(matmul_transposed_args) == 4 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void matmul_transposed_cpu(pto_rt::Runtime& runtime, const matmul_transposed_args& args);
extern "C" void matmul_transposed_a2a3(pto_rt::Runtime& runtime, const matmul_transposed_args& args);
