// dequant_rows: the C++ entry. Made by pyptogen from dequant_rows.yaml: changes belong there.
//
// int32 accumulators with one scale a row to bf16. Instructions by hand.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct dequant_rows_args {
  // inputs
  const int32_t* acc;  // int32[rows, cols]
  const float* scale;  // fp32[rows, 1]

  // outputs
  uint16_t* y;         // bf16[rows, cols]

  // sizes
  int64_t rows;        // 1 to 65536
};
static_assert(sizeof(dequant_rows_args) == 4 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void dequant_rows_cpu(pto_rt::Runtime& runtime, const dequant_rows_args& args);
extern "C" void dequant_rows_a2a3(pto_rt::Runtime& runtime, const dequant_rows_args& args);
