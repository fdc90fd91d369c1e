// quant_per_token: the C++ entry. Made by pyptogen from quant_per_token.yaml: changes belong there.
//
// Symmetric int8 quantisation of each row of a bf16 tensor, with its scale. A row of zeros gives zeros and
// scale 0.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct quant_per_token_args {
  // inputs
  const uint16_t* x;  // bf16[rows, cols]

  // outputs
  int8_t* q;          // int8[rows, cols]
  float* scale;       // fp32[rows, 1]

  // sizes
  int64_t rows;       // 1 to 1048576
};
static_assert(sizeof(quant_per_token_args) == 4 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void quant_per_token_cpu(pto_rt::Runtime& runtime, const quant_per_token_args& args);
extern "C" void quant_per_token_a2a3(pto_rt::Runtime& runtime, const quant_per_token_args& args);
