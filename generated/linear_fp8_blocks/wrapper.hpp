// linear_fp8_blocks: the C++ entry. Made by pyptogen from linear_fp8_blocks.yaml: changes belong there.
//
// A linear layer of DeepSeek-V3 in fp8 ("DeepSeek-V3 Technical Report", section 3.3): 128 numbers of a row of
// x share a scale, and so do 128 x 128 weights. The product of each 128 of the depth is scaled as it is added
// to the sum, in fp32.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct linear_fp8_blocks_args {
  // inputs
  const uint8_t* x;      // fp8_e4m3[t, block * k_blocks]
  const float* x_scale;  // fp32[t, k_blocks]
  const uint8_t* w;      // fp8_e4m3[block * k_blocks, block * n_blocks]
  const float* w_scale;  // fp32[k_blocks, n_blocks]

  // outputs
  uint16_t* y;           // bf16[t, n_blocks, block]

  // sizes
  int64_t t;             // 1 to 65536
};
static_assert(sizeof(linear_fp8_blocks_args) == 6 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void linear_fp8_blocks_cpu(pto_rt::Runtime& runtime, const linear_fp8_blocks_args& args);
extern "C" void linear_fp8_blocks_a5(pto_rt::Runtime& runtime, const linear_fp8_blocks_args& args);
