// geglu: the C++ entry. Made by pyptogen from geglu.yaml: changes belong there.
//
// Gated linear unit with GELU (Shazeer, "GLU variants improve transformer", 2020), in bf16, computed in fp32.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct geglu_args {
  // inputs
  const uint16_t* x;     // bf16[rows, cols]
  const uint16_t* gate;  // bf16[rows, cols]

  // outputs
  uint16_t* y;           // bf16[rows, cols]

  // sizes
  int64_t rows;          // 1 to 1048576
};
static_assert(sizeof(geglu_args) == 4 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void geglu_cpu(pto_rt::Runtime& runtime, const geglu_args& args);
extern "C" void geglu_a2a3(pto_rt::Runtime& runtime, const geglu_args& args);
