// gated_delta_rule: the C++ entry. Made by pyptogen from gated_delta_rule.yaml: changes belong there.
//
// A prompt through the gated delta rule (Yang et al., "Gated Delta Networks: Improving Mamba2 with Delta
// Rule"), as a layer of Qwen3-Next takes it: chunk by chunk, with products instead of a state for every
// token. Inside of a chunk the changes that tokens make depend on each other; the inverse of one plus a
// strictly lower triangle settles them all at once. `group` value heads share a query and a key; the state is
// [dv, dk], as `gated_delta_step` has it.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct gated_delta_rule_args {
  // inputs
  const uint16_t* q;  // bf16[b, s, heads, dk]
  const uint16_t* k;  // bf16[b, s, heads, dk]
  const uint16_t* v;  // bf16[b, s, heads, group, dv]
  const float* g;     // fp32[b, s, heads, group]
  const float* beta;  // fp32[b, s, heads, group]
  float* state;       // fp32[b, heads, group, dv, dk], in place

  // outputs
  uint16_t* o;        // bf16[b, s, heads, group, dv]

  // sizes
  int64_t b;          // 1 to 1024
  int64_t s;          // 1 to 1048576

  // scalars
  double eps;         // fp32
};
static_assert(sizeof(gated_delta_rule_args) == 10 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void gated_delta_rule_cpu(pto_rt::Runtime& runtime, const gated_delta_rule_args& args);
extern "C" void gated_delta_rule_a2a3(pto_rt::Runtime& runtime, const gated_delta_rule_args& args);
