// rope_interleaved: the C++ entry. Made by pyptogen from rope_interleaved.yaml: changes belong there.
//
// Rotary position embedding of neighbouring pairs (Su et al., "RoFormer"), computed in fp32.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct rope_interleaved_args {
  // inputs
  const uint16_t* x;    // bf16[t, heads, d]
  const uint16_t* cos;  // bf16[t, d]
  const uint16_t* sin;  // bf16[t, d]

  // outputs
  uint16_t* y;          // bf16[t, heads, d]

  // sizes
  int64_t t;            // 1 to 65536
};
static_assert(sizeof(rope_interleaved_args) == 5 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void rope_interleaved_cpu(pto_rt::Runtime& runtime, const rope_interleaved_args& args);
extern "C" void rope_interleaved_a2a3(pto_rt::Runtime& runtime, const rope_interleaved_args& args);
