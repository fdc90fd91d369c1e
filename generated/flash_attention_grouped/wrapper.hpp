// flash_attention_grouped: the C++ entry. Made by pyptogen from flash_attention_grouped.yaml: changes belong there.
//
// Causal attention where a group of query heads shares one head of keys and values (Ainslie et al., "GQA"),
// for a prompt that continues a cache.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct flash_attention_grouped_args {
  // inputs
  const uint16_t* q;  // fp16[kv_heads, group, sq, d]
  const uint16_t* k;  // fp16[kv_heads, kv, d]
  const uint16_t* v;  // fp16[kv_heads, kv, d]

  // outputs
  uint16_t* o;        // fp16[kv_heads, group, sq, d]

  // sizes
  int64_t sq;         // 1 to 65536
  int64_t kv;         // 1 to 65536
};
static_assert(sizeof(flash_attention_grouped_args) == 6 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void flash_attention_grouped_cpu(pto_rt::Runtime& runtime, const flash_attention_grouped_args& args);
extern "C" void flash_attention_grouped_a2a3(pto_rt::Runtime& runtime, const flash_attention_grouped_args& args);
