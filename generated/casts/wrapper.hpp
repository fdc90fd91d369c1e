// casts: the C++ entry. Made by pyptogen from casts.yaml: changes belong there.
//
// fp32 to the other dtypes, each with the round mode of its line; whole numbers saturate.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct casts_args {
  // inputs
  const float* x;     // fp32[rows, cols]

  // outputs
  uint16_t* as_fp16;  // fp16[rows, cols]
  uint16_t* as_bf16;  // bf16[rows, cols]
  int32_t* nearest;   // int32[rows, cols]
  int16_t* below;     // int16[rows, cols]
  int8_t* level;      // int8[rows, cols]
  float* back;        // fp32[rows, cols]

  // sizes
  int64_t rows;       // 1 to 1048576
};
static_assert(sizeof(casts_args) == 8 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void casts_cpu(pto_rt::Runtime& runtime, const casts_args& args);
extern "C" void casts_a2a3(pto_rt::Runtime& runtime, const casts_args& args);
