// linear_gelu: the C++ entry. Made by pyptogen from linear_gelu.yaml: changes belong there.
//
// Linear layer with bias and GELU in bf16, with fp32 accumulation; the product never leaves the chip.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct linear_gelu_args {
  // inputs
  const uint16_t* x;  // bf16[t, k]
  const uint16_t* w;  // bf16[k, n] @ nz
  const float* bias;  // fp32[n]

  // outputs
  uint16_t* y;        // bf16[t, n]

  // sizes
  int64_t t;          // 1 to 65536
};
static_assert(sizeof(linear_gelu_args) == 5 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void linear_gelu_cpu(pto_rt::Runtime& runtime, const linear_gelu_args& args);
extern "C" void linear_gelu_a2a3(pto_rt::Runtime& runtime, const linear_gelu_args& args);
