// quant_per_channel: the C++ entry. Made by pyptogen from quant_per_channel.yaml: changes belong there.
//
// Symmetric int8 quantisation of a bf16 tensor with a given scale for each column.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct quant_per_channel_args {
  // inputs
  const uint16_t* x;   // bf16[rows, cols]
  const float* scale;  // fp32[cols]

  // outputs
  int8_t* q;           // int8[rows, cols]

  // sizes
  int64_t rows;        // 1 to 1048576
};
static_assert(sizeof(quant_per_channel_args) == 4 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void quant_per_channel_cpu(pto_rt::Runtime& runtime, const quant_per_channel_args& args);
extern "C" void quant_per_channel_a2a3(pto_rt::Runtime& runtime, const quant_per_channel_args& args);
