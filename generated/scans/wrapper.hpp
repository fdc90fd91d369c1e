// scans: the C++ entry. Made by pyptogen from scans.yaml: changes belong there.
//
// Running sums down the columns, running products along the rows, and counts so far in whole numbers.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct scans_args {
  // inputs
  const float* x;       // fp32[rows, cols]
  const int32_t* mark;  // int32[rows, cols]

  // outputs
  float* down;          // fp32[rows, cols]
  float* product;       // fp32[rows, cols]
  int32_t* count;       // int32[rows, cols]

  // sizes
  int64_t rows;         // 1 to 65536
};
static_assert(sizeof(scans_args) == 6 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void scans_cpu(pto_rt::Runtime& runtime, const scans_args& args);
extern "C" void scans_a2a3(pto_rt::Runtime& runtime, const scans_args& args);
