// flash_attention: the C++ entry. Made by pyptogen from flash_attention.yaml: changes belong there.
//
// Scaled dot product attention of grouped heads with an online softmax (Dao et al., "FlashAttention"); the
// scores never leave the chip's memory on the CPU.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct flash_attention_args {
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
static_assert(sizeof(flash_attention_args) == 7 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void flash_attention_cpu(pto_rt::Runtime& runtime, const flash_attention_args& args);
extern "C" void flash_attention_a2a3(pto_rt::Runtime& runtime, const flash_attention_args& args);
