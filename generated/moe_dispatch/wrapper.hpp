// moe_dispatch: the C++ entry. Made by pyptogen from moe_dispatch.yaml: changes belong there.
//
// Tokens of a mixture of experts, laid out by expert (Shazeer et al., "Outrageously Large Neural Networks";
// Gale et al., "MegaBlocks"). Each token is copied once for each of its experts; rows of one expert lie
// together, in the order of the tokens. `place` is the row of each copy, `count` the rows of each expert. An
// `expert` that is none is PTG408.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct moe_dispatch_args {
  // inputs
  const uint16_t* x;      // bf16[t, h]
  const int32_t* expert;  // int32[t, k]

  // outputs
  uint16_t* rows;         // bf16[k * t, h]
  int32_t* place;         // int32[t, k]
  int32_t* count;         // int32[1, 64]

  // sizes
  int64_t t;              // 1 to 65536
};
static_assert(sizeof(moe_dispatch_args) == 6 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void moe_dispatch_cpu(pto_rt::Runtime& runtime, const moe_dispatch_args& args);
extern "C" void moe_dispatch_a2a3(pto_rt::Runtime& runtime, const moe_dispatch_args& args);
