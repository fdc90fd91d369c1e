// flash_attention_causal: the C++ entry. Made by pyptogen from flash_attention_causal.yaml: changes belong there.
//
// Causal attention with an online softmax (Dao, "FlashAttention-2"). The queries are the last of the keys'
// positions; blocks of keys that no query of a tile sees are left out.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct flash_attention_causal_args {
  // inputs
  const uint16_t* q;  // bf16[heads, sq, d]
  const uint16_t* k;  // bf16[heads, kv, d]
  const uint16_t* v;  // bf16[heads, kv, d]

  // outputs
  uint16_t* o;        // bf16[heads, sq, d]

  // sizes
  int64_t sq;         // 1 to 65536
  int64_t kv;         // 1 to 65536

  // scalars
  double scale;       // fp32
};
static_assert(sizeof(flash_attention_causal_args) == 7 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void flash_attention_causal_cpu(pto_rt::Runtime& runtime, const flash_attention_causal_args& args);
extern "C" void flash_attention_causal_a2a3(pto_rt::Runtime& runtime, const flash_attention_causal_args& args);
