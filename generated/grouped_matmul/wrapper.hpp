// grouped_matmul: the C++ entry. Made by pyptogen from grouped_matmul.yaml: changes belong there.
//
// Matrix products of a mixture of experts (Gale et al., "MegaBlocks"). The rows of x lie group by group,
// `count` of them in each, as `moe_dispatch` lays them out; each row meets the weight of its group. Each
// group is moved to blocks of its own, so that one block needs one weight. Rows behind the last group fill x
// up to whole blocks; they meet its weight.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct grouped_matmul_args {
  // inputs
  const uint16_t* x;     // bf16[t, k]
  const uint16_t* w;     // bf16[groups, k, n] @ nz
  const int32_t* count;  // int32[1, groups]

  // outputs
  uint16_t* y;           // bf16[t, n]

  // sizes
  int64_t full;          // 1 to 16384
};
static_assert(sizeof(grouped_matmul_args) == 5 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void grouped_matmul_cpu(pto_rt::Runtime& runtime, const grouped_matmul_args& args);
extern "C" void grouped_matmul_a2a3(pto_rt::Runtime& runtime, const grouped_matmul_args& args);
