// conv2d: the C++ entry. Made by pyptogen from conv2d.yaml: changes belong there.
//
// A convolution of images with bias and ReLU, as between the stages of a ResNet (He et al. 2015) - 3 x 3,
// every other place.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct conv2d_args {
  // inputs
  const uint16_t* x;  // bf16[n, c, size, size]
  const uint16_t* w;  // bf16[oc, c, 3, 3]
  const float* bias;  // fp32[oc]

  // outputs
  uint16_t* y;        // bf16[n, oc, 28, 28]

  // sizes
  int64_t n;          // 1 to 1024
};
static_assert(sizeof(conv2d_args) == 5 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void conv2d_cpu(pto_rt::Runtime& runtime, const conv2d_args& args);
extern "C" void conv2d_a2a3(pto_rt::Runtime& runtime, const conv2d_args& args);
