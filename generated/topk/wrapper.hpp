// topk: the C++ entry. Made by pyptogen from topk.yaml: changes belong there.
//
// The 64 largest values of each row in falling order, and their places; of equal values the first ones.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct topk_args {
  // inputs
  const float* x;    // fp32[rows, cols]

  // outputs
  float* values;     // fp32[rows, 64]
  int32_t* indices;  // int32[rows, 64]

  // sizes
  int64_t rows;      // 1 to 1048576
};
static_assert(sizeof(topk_args) == 4 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void topk_cpu(pto_rt::Runtime& runtime, const topk_args& args);
extern "C" void topk_a2a3(pto_rt::Runtime& runtime, const topk_args& args);
