// flash_attention_fp32_backward: the C++ entry. Made by pyptogen from flash_attention_fp32_backward.yaml: changes belong there.
//
// Gradients of flash_attention_fp32. The weights are computed again, and lie in memory whole.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct flash_attention_fp32_backward_args {
  // inputs
  const float* q;    // fp32[heads, sq, d]
  const float* k;    // fp32[heads, kv, d]
  const float* v;    // fp32[heads, kv, d]
  const float* o;    // fp32[heads, sq, d]
  const float* d_o;  // fp32[heads, sq, d]

  // outputs
  float* d_q;        // fp32[heads, sq, d]
  float* d_k;        // fp32[heads, kv, d]
  float* d_v;        // fp32[heads, kv, d]

  // sizes
  int64_t sq;        // 1 to 4096
  int64_t kv;        // 1 to 4096

  // scalars
  double scale;      // fp32
};
static_assert(sizeof(flash_attention_fp32_backward_args) == 11 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void flash_attention_fp32_backward_cpu(pto_rt::Runtime& runtime, const flash_attention_fp32_backward_args& args);
extern "C" void flash_attention_fp32_backward_a2a3(pto_rt::Runtime& runtime, const flash_attention_fp32_backward_args& args);
