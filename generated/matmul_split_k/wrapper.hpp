// matmul_split_k: the C++ entry. Made by pyptogen from matmul_split_k.yaml: changes belong there.
//
// bf16 matmul of few rows and a long reduction, cut into parts that run side by side and are added in order.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct matmul_split_k_args {
  // inputs
  const uint16_t* a;  // bf16[m, k]
  const uint16_t* b;  // bf16[k, n] @ nz

  // outputs
  uint16_t* c;        // bf16[m, n]

  // sizes
  int64_t m;          // 1 to 64
};
static_assert(sizeof(matmul_split_k_args) == 4 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void matmul_split_k_cpu(pto_rt::Runtime& runtime, const matmul_split_k_args& args);
extern "C" void matmul_split_k_a2a3(pto_rt::Runtime& runtime, const matmul_split_k_args& args);
