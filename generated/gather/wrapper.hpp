// gather: the C++ entry. Made by pyptogen from gather.yaml: changes belong there.
//
// From each row the elements that its own indices name.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct gather_args {
  // inputs
  const float* x;        // fp32[rows, cols]
  const int32_t* index;  // int32[rows, picked]

  // outputs
  float* y;              // fp32[rows, picked]

  // sizes
  int64_t rows;          // 1 to 1048576
};
static_assert(sizeof(gather_args) == 4 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void gather_cpu(pto_rt::Runtime& runtime, const gather_args& args);
extern "C" void gather_a2a3(pto_rt::Runtime& runtime, const gather_args& args);
