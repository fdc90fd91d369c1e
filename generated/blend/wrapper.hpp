// blend: the C++ entry. Made by pyptogen from blend.yaml: changes belong there.
//
// Two tensors, each with a weight, added. Buffers and flags by hand, two halves in flight.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct blend_args {
  // inputs
  const float* a;  // fp32[rows, cols]
  const float* b;  // fp32[rows, cols]

  // outputs
  float* y;        // fp32[rows, cols]

  // sizes
  int64_t rows;    // 16 to 1048576, a multiple of 16

  // scalars
  double alpha;    // fp32
  double beta;     // fp32
};
static_assert(sizeof(blend_args) == 6 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void blend_cpu(pto_rt::Runtime& runtime, const blend_args& args);
extern "C" void blend_a2a3(pto_rt::Runtime& runtime, const blend_args& args);
