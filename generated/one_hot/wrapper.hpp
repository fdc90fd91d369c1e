// one_hot: the C++ entry. Made by pyptogen from one_hot.yaml: changes belong there.
//
// A row with a 1 at the place that an index names, and zeros elsewhere.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct one_hot_args {
  // inputs
  const int32_t* index;  // int32[t]

  // outputs
  float* y;              // fp32[t, 160]

  // sizes
  int64_t t;             // 1 to 1048576
};
static_assert(sizeof(one_hot_args) == 3 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void one_hot_cpu(pto_rt::Runtime& runtime, const one_hot_args& args);
extern "C" void one_hot_a2a3(pto_rt::Runtime& runtime, const one_hot_args& args);
