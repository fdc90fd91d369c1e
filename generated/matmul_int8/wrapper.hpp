// matmul_int8: the C++ entry. Made by pyptogen from matmul_int8.yaml: changes belong there.
//
// Matrix product of int8 matrices, exact in int32.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct matmul_int8_args {
  // inputs
  const int8_t* a;  // int8[m, k]
  const int8_t* b;  // int8[k, n] @ nz

  // outputs
  int32_t* c;       // int32[m, n]

  // sizes
  int64_t m;        // 1 to 1048576
};
static_assert(sizeof(matmul_int8_args) == 4 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void matmul_int8_cpu(pto_rt::Runtime& runtime, const matmul_int8_args& args);
extern "C" void matmul_int8_a2a3(pto_rt::Runtime& runtime, const matmul_int8_args& args);
