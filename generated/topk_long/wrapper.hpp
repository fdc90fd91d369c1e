// topk_long: the C++ entry. Made by pyptogen from topk_long.yaml: changes belong there.
//
// The 2048 best of up to 131072 scores a row, as sparse attention chooses its keys. A row has 2048 scores at
// least.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct topk_long_args {
  // inputs
  const float* scores;  // fp32[rows, keys]

  // outputs
  float* values;        // fp32[rows, 2048]
  int32_t* indices;     // int32[rows, 2048]

  // sizes
  int64_t rows;         // 1 to 16384
  int64_t keys;         // 2048 to 131072
};
static_assert(sizeof(topk_long_args) == 5 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void topk_long_cpu(pto_rt::Runtime& runtime, const topk_long_args& args);
extern "C" void topk_long_a2a3(pto_rt::Runtime& runtime, const topk_long_args& args);
