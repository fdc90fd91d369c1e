// dequant_per_token: the C++ entry. Made by pyptogen from dequant_per_token.yaml: changes belong there.
//
// Symmetric int8 values back to bf16, with a scale for each row.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct dequant_per_token_args {
  // inputs
  const int8_t* q;     // int8[rows, cols]
  const float* scale;  // fp32[rows, 1]

  // outputs
  uint16_t* y;         // bf16[rows, cols]

  // sizes
  int64_t rows;        // 1 to 1048576
};
static_assert(sizeof(dequant_per_token_args) == 4 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void dequant_per_token_cpu(pto_rt::Runtime& runtime, const dequant_per_token_args& args);
extern "C" void dequant_per_token_a2a3(pto_rt::Runtime& runtime, const dequant_per_token_args& args);
