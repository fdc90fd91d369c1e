// linear_hif8: the C++ entry. Made by pyptogen from linear_hif8.yaml: changes belong there.
//
// A linear layer in HiFloat8: numbers near one have three bits of fraction, those far off fewer, so that a
// scale of the whole tensor does where e4m3 wants one a row. Products are summed in fp32. The format: "Ascend
// HiFloat8 Format for Deep Learning", 2024.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct linear_hif8_args {
  // inputs
  const uint16_t* x;     // bf16[t, k]
  const uint8_t* w;      // hif8[k, n], by their codes
  const float* w_scale;  // fp32[n]

  // outputs
  uint16_t* y;           // bf16[t, n]

  // sizes
  int64_t t;             // 1 to 65536

  // scalars
  double x_scale;        // fp32
};
static_assert(sizeof(linear_hif8_args) == 6 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void linear_hif8_cpu(pto_rt::Runtime& runtime, const linear_hif8_args& args);
extern "C" void linear_hif8_a5(pto_rt::Runtime& runtime, const linear_hif8_args& args);
