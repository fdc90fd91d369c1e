// matmul_swizzle: the C++ entry. Made by pyptogen from matmul_swizzle.yaml: changes belong there.
//
// A product whose operands do not fit L2: rows are done in bands, all columns of a band before the next one,
// so that the band of `a` and the columns of `b` that the cores work on stay in L2.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct matmul_swizzle_args {
  // inputs
  const uint16_t* a;  // bf16[m, k]
  const uint16_t* b;  // bf16[k, n] @ nz

  // outputs
  uint16_t* c;        // bf16[m, n]

  // sizes
  int64_t m;          // 1 to 1048576
};
static_assert(sizeof(matmul_swizzle_args) == 4 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void matmul_swizzle_cpu(pto_rt::Runtime& runtime, const matmul_swizzle_args& args);
extern "C" void matmul_swizzle_a2a3(pto_rt::Runtime& runtime, const matmul_swizzle_args& args);
