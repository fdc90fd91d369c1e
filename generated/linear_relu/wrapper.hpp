// linear_relu: the C++ entry. Made by pyptogen from linear_relu.yaml: changes belong there.
//
// Linear layer in fp16 with bias and ReLU, its weight row-major as [out, in], the way PyTorch keeps it.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct linear_relu_args {
  // inputs
  const uint16_t* x;  // fp16[t, k]
  const uint16_t* w;  // fp16[n, k]
  const float* bias;  // fp32[n]

  // outputs
  uint16_t* y;        // fp16[t, n]

  // sizes
  int64_t t;          // 1 to 65536
};
static_assert(sizeof(linear_relu_args) == 5 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void linear_relu_cpu(pto_rt::Runtime& runtime, const linear_relu_args& args);
extern "C" void linear_relu_a2a3(pto_rt::Runtime& runtime, const linear_relu_args& args);
