// flash_attention_fp32: the C++ entry. Made by pyptogen from flash_attention_fp32.yaml: changes belong there.
//
// As flash_attention, in fp32 throughout; the weights are not rounded before they meet the values.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct flash_attention_fp32_args {
  // inputs
  const float* q;  // fp32[heads, sq, d]
  const float* k;  // fp32[heads, kv, d]
  const float* v;  // fp32[heads, kv, d]

  // outputs
  float* o;        // fp32[heads, sq, d]

  // sizes
  int64_t sq;      // 1 to 65536
  int64_t kv;      // 1 to 65536

  // scalars
  double scale;    // fp32
};
static_assert(sizeof(flash_attention_fp32_args) == 7 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void flash_attention_fp32_cpu(pto_rt::Runtime& runtime, const flash_attention_fp32_args& args);
extern "C" void flash_attention_fp32_a2a3(pto_rt::Runtime& runtime, const flash_attention_fp32_args& args);
