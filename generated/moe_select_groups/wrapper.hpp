// moe_select_groups: the C++ entry. Made by pyptogen from moe_select_groups.yaml: changes belong there.
//
// Choice of experts as DeepSeek-V3 makes it (DeepSeek-AI, "DeepSeek-V3"). Sigmoid scores; a bias that
// balances load counts for the choice alone; only the groups whose two best experts are best are looked at;
// the shares of the chosen experts are normalised and scaled.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct moe_select_groups_args {
  // inputs
  const float* logits;  // fp32[t, experts]
  const float* bias;    // fp32[experts]

  // outputs
  float* weight;        // fp32[t, 8]
  int32_t* expert;      // int32[t, 8]

  // sizes
  int64_t t;            // 1 to 65536

  // scalars
  double scale;         // fp32
};
static_assert(sizeof(moe_select_groups_args) == 6 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void moe_select_groups_cpu(pto_rt::Runtime& runtime, const moe_select_groups_args& args);
extern "C" void moe_select_groups_a2a3(pto_rt::Runtime& runtime, const moe_select_groups_args& args);
