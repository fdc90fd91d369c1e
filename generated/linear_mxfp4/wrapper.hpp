// linear_mxfp4: the C++ entry. Made by pyptogen from linear_mxfp4.yaml: changes belong there.
//
// A linear layer in MXFP4 ("OCP Microscaling Formats (MX) Specification", version 1.0): numbers of four bits,
// two to a byte, of which 32 neighbours along the depth share a power of two. x is quantised here, the
// weights come so.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct linear_mxfp4_args {
  // inputs
  const uint16_t* x;       // bf16[t, k]
  const uint8_t* w;        // fp4_e2m1[n, k], two in a byte
  const uint8_t* w_scale;  // fp8_e8m0[n, k/32]
  const float* bias;       // fp32[n]

  // outputs
  uint16_t* y;             // bf16[t, n]

  // sizes
  int64_t t;               // 1 to 65536
};
static_assert(sizeof(linear_mxfp4_args) == 6 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void linear_mxfp4_cpu(pto_rt::Runtime& runtime, const linear_mxfp4_args& args);
extern "C" void linear_mxfp4_a5(pto_rt::Runtime& runtime, const linear_mxfp4_args& args);
