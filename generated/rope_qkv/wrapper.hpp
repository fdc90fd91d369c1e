// rope_qkv: the C++ entry. Made by pyptogen from rope_qkv.yaml: changes belong there.
//
// Queries and keys of a fused projection, in rows of queries, keys and values, turned by their rotary
// position embedding (Su et al., "RoFormer", halves rotated, fp32), and written to their places in a buffer
// of the same rows. Grouped heads as in Llama 3.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named, or have the strides named;
// one marked "in place" is read and written.
struct rope_qkv_args {
  // inputs
  const uint16_t* qkv;  // bf16[t, width]
  const uint16_t* cos;  // bf16[t, d]
  const uint16_t* sin;  // bf16[t, d]

  // outputs
  uint16_t* q;          // bf16[t, heads, d] strides [width, d, 1]
  uint16_t* k;          // bf16[t, kv_heads, d] strides [width, d, 1]

  // sizes
  int64_t t;            // 1 to 65536
};
static_assert(sizeof(rope_qkv_args) == 6 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void rope_qkv_cpu(pto_rt::Runtime& runtime, const rope_qkv_args& args);
extern "C" void rope_qkv_a2a3(pto_rt::Runtime& runtime, const rope_qkv_args& args);
