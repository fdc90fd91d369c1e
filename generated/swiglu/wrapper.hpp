// swiglu: the C++ entry. Made by pyptogen from swiglu.yaml: changes belong there.
//
// Gated activation silu(gate) * up of two bf16 tensors, computed in fp32 (Shazeer, "GLU Variants Improve
// Transformer").
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct swiglu_args {
  // inputs
  const uint16_t* gate;  // bf16[rows, cols]
  const uint16_t* up;    // bf16[rows, cols]

  // outputs
  uint16_t* y;           // bf16[rows, cols]

  // sizes
  int64_t rows;          // 1 to 1048576
};
static_assert(sizeof(swiglu_args) == 4 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void swiglu_cpu(pto_rt::Runtime& runtime, const swiglu_args& args);
extern "C" void swiglu_a2a3(pto_rt::Runtime& runtime, const swiglu_args& args);
