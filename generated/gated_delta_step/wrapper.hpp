// gated_delta_step: the C++ entry. Made by pyptogen from gated_delta_step.yaml: changes belong there.
//
// One token of a gated delta rule (Yang et al., "Gated Delta Networks"), as a layer of Qwen3-Next decodes:
// the state of each head forgets by exp(g), what it would recall for the key is replaced by the value as far
// as beta says, and the query reads it. `group` value heads share a query and a key. The state is [dv, dk],
// so that all sums are over rows.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct gated_delta_step_args {
  // inputs
  const uint16_t* q;  // bf16[b, heads, dk]
  const uint16_t* k;  // bf16[b, heads, dk]
  const uint16_t* v;  // bf16[b, heads, group, dv]
  const float* g;     // fp32[b, heads, group]
  const float* beta;  // fp32[b, heads, group]
  float* state;       // fp32[b, heads, group, dv, dk], in place

  // outputs
  uint16_t* o;        // bf16[b, heads, group, dv]

  // sizes
  int64_t b;          // 1 to 4096

  // scalars
  double eps;         // fp32
};
static_assert(sizeof(gated_delta_step_args) == 9 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void gated_delta_step_cpu(pto_rt::Runtime& runtime, const gated_delta_step_args& args);
extern "C" void gated_delta_step_a2a3(pto_rt::Runtime& runtime, const gated_delta_step_args& args);
