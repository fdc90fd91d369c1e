// linear_int8: the C++ entry. Made by pyptogen from linear_int8.yaml: changes belong there.
//
// W8A8 linear layer. Integer product, scaled by token and by output channel, plus bias, in bf16.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct linear_int8_args {
  // inputs
  const int8_t* x;       // int8[t, k]
  const float* x_scale;  // fp32[t, 1]
  const int8_t* w;       // int8[k, n] @ nz
  const float* w_scale;  // fp32[n]
  const float* bias;     // fp32[n]

  // outputs
  uint16_t* y;           // bf16[t, n]

  // sizes
  int64_t t;             // 1 to 65536
};
static_assert(sizeof(linear_int8_args) == 7 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void linear_int8_cpu(pto_rt::Runtime& runtime, const linear_int8_args& args);
extern "C" void linear_int8_a2a3(pto_rt::Runtime& runtime, const linear_int8_args& args);
