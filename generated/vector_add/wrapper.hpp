// vector_add: the C++ entry. Made by pyptogen from vector_add.yaml: changes belong there.
//
// Sum of two vectors.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct vector_add_args {
  // inputs
  const float* a;  // fp32[n]
  const float* b;  // fp32[n]

  // outputs
  float* c;        // fp32[n]

  // sizes
  int64_t n;       // 1 to 1073741824
};
static_assert(sizeof(vector_add_args) == 4 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void vector_add_cpu(pto_rt::Runtime& runtime, const vector_add_args& args);
extern "C" void vector_add_a2a3(pto_rt::Runtime& runtime, const vector_add_args& args);
