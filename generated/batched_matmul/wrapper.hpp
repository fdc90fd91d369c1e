// batched_matmul: the C++ entry. Made by pyptogen from batched_matmul.yaml: changes belong there.
//
// A matrix product for each head, bf16 with fp32 accumulation.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct batched_matmul_args {
  // inputs
  const uint16_t* a;  // bf16[heads, m, k]
  const uint16_t* b;  // bf16[heads, k, n]

  // outputs
  uint16_t* c;        // bf16[heads, m, n]

  // sizes
  int64_t m;          // 1 to 65536
};
static_assert(sizeof(batched_matmul_args) == 4 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void batched_matmul_cpu(pto_rt::Runtime& runtime, const batched_matmul_args& args);
extern "C" void batched_matmul_a2a3(pto_rt::Runtime& runtime, const batched_matmul_args& args);
