// layer_norm_channels: the C++ entry. Made by pyptogen from layer_norm_channels.yaml: changes belong there.
//
// Layer normalisation over the channels of images that lie plane after plane, as ConvNeXt takes it between
// its stages (Liu et al. 2022).
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct layer_norm_channels_args {
  // inputs
  const uint16_t* x;   // bf16[n, c, hw]
  const float* gamma;  // fp32[c]
  const float* beta;   // fp32[c]

  // outputs
  uint16_t* y;         // bf16[n, c, hw]

  // sizes
  int64_t n;           // 1 to 1024
  int64_t hw;          // 1 to 262144

  // scalars
  double eps;          // fp32
};
static_assert(sizeof(layer_norm_channels_args) == 7 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void layer_norm_channels_cpu(pto_rt::Runtime& runtime, const layer_norm_channels_args& args);
extern "C" void layer_norm_channels_a2a3(pto_rt::Runtime& runtime, const layer_norm_channels_args& args);
