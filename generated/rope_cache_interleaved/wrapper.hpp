// rope_cache_interleaved: the C++ entry. Made by pyptogen from rope_cache_interleaved.yaml: changes belong there.
//
// As `rope_cache`, where neighbouring elements turn together (Su et al., "RoFormer"). The cosine and sine of
// a pair stand at both of its places.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct rope_cache_interleaved_args {
  // inputs
  const uint16_t* q;    // bf16[t, heads, d]
  const uint16_t* k;    // bf16[t, kv_heads, d]
  const uint16_t* v;    // bf16[t, kv_heads, d]
  const uint16_t* cos;  // bf16[t, d]
  const uint16_t* sin;  // bf16[t, d]
  uint16_t* k_cache;    // bf16[blocks, block_size, kv_heads, d], in place
  uint16_t* v_cache;    // bf16[blocks, block_size, kv_heads, d], in place
  const int64_t* slot;  // int64[t]

  // outputs
  uint16_t* q_turned;   // bf16[t, heads, d]

  // sizes
  int64_t t;            // 1 to 65536
  int64_t blocks;       // 1 to 1048576
};
static_assert(sizeof(rope_cache_interleaved_args) == 11 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void rope_cache_interleaved_cpu(pto_rt::Runtime& runtime, const rope_cache_interleaved_args& args);
extern "C" void rope_cache_interleaved_a2a3(pto_rt::Runtime& runtime, const rope_cache_interleaved_args& args);
