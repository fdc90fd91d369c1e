// index_add: the C++ entry. Made by pyptogen from index_add.yaml: changes belong there.
//
// Each row of src is added to the row of x that its index names; indices may repeat.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct index_add_args {
  // inputs
  const float* x;        // fp32[rows, d]
  const int32_t* index;  // int32[added]
  const float* src;      // fp32[added, d]

  // outputs
  float* y;              // fp32[rows, d]

  // sizes
  int64_t rows;          // 1 to 1048576
  int64_t added;         // 1 to 1048576
};
static_assert(sizeof(index_add_args) == 6 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void index_add_cpu(pto_rt::Runtime& runtime, const index_add_args& args);
extern "C" void index_add_a2a3(pto_rt::Runtime& runtime, const index_add_args& args);
