// causal_conv1d: the C++ entry. Made by pyptogen from causal_conv1d.yaml: changes belong there.
//
// The short convolution before a linear attention layer (Mamba, Gu and Dao 2023; Qwen3-Next): each channel
// with a kernel of its own over the last four tokens, then SiLU. The state holds the three tokens before the
// first.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct causal_conv1d_args {
  // inputs
  const uint16_t* x;  // bf16[b, c, s]
  uint16_t* state;    // bf16[b, c, taps - 1], in place
  const uint16_t* w;  // bf16[c, 1, taps]
  const float* bias;  // fp32[c]

  // outputs
  uint16_t* y;        // bf16[b, c, s + taps - 4]

  // sizes
  int64_t b;          // 1 to 256
  int64_t s;          // 1 to 1048576
};
static_assert(sizeof(causal_conv1d_args) == 7 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void causal_conv1d_cpu(pto_rt::Runtime& runtime, const causal_conv1d_args& args);
extern "C" void causal_conv1d_a2a3(pto_rt::Runtime& runtime, const causal_conv1d_args& args);
