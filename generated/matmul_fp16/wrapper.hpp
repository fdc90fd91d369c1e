// matmul_fp16: the C++ entry. Made by pyptogen from matmul_fp16.yaml: changes belong there.
//
// Matrix product in fp16 with fp32 accumulation, rounded to fp16 once at the end.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct matmul_fp16_args {
  // inputs
  const uint16_t* a;  // fp16[m, k]
  const uint16_t* b;  // fp16[k, n] @ nz

  // outputs
  uint16_t* c;        // fp16[m, n]

  // sizes
  int64_t m;          // 1 to 1048576
};
static_assert(sizeof(matmul_fp16_args) == 4 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void matmul_fp16_cpu(pto_rt::Runtime& runtime, const matmul_fp16_args& args);
extern "C" void matmul_fp16_a2a3(pto_rt::Runtime& runtime, const matmul_fp16_args& args);
