// moe_combine: the C++ entry. Made by pyptogen from moe_combine.yaml: changes belong there.
//
// What the experts made of each token, added up with the router's weights, and what the shared expert made of
// it (Dai et al., "DeepSeekMoE"). `place` says in which row of an expert the copy of a token lies, as
// `moe_dispatch` gives it.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct moe_combine_args {
  // inputs
  const uint16_t* rows;    // bf16[copies, h]
  const int32_t* place;    // int32[t, k]
  const float* weight;     // fp32[t, k]
  const uint16_t* shared;  // bf16[t, h]

  // outputs
  uint16_t* y;             // bf16[t, h]

  // sizes
  int64_t t;               // 1 to 65536
};
static_assert(sizeof(moe_combine_args) == 6 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void moe_combine_cpu(pto_rt::Runtime& runtime, const moe_combine_args& args);
extern "C" void moe_combine_a2a3(pto_rt::Runtime& runtime, const moe_combine_args& args);
