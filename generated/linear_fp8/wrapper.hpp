// linear_fp8: the C++ entry. Made by pyptogen from linear_fp8.yaml: changes belong there.
//
// A linear layer in fp8: rows of x are quantised to e4m3 with a scale of their own, weights come in e4m3 with
// a scale for each column, products are summed in fp32.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct linear_fp8_args {
  // inputs
  const uint16_t* x;     // bf16[t, k]
  const uint8_t* w;      // fp8_e4m3[k, n]
  const float* w_scale;  // fp32[n]

  // outputs
  uint16_t* y;           // bf16[t, n]

  // sizes
  int64_t t;             // 1 to 65536
};
static_assert(sizeof(linear_fp8_args) == 5 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void linear_fp8_cpu(pto_rt::Runtime& runtime, const linear_fp8_args& args);
extern "C" void linear_fp8_a5(pto_rt::Runtime& runtime, const linear_fp8_args& args);
