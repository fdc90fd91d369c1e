// cross_entropy: the C++ entry. Made by pyptogen from cross_entropy.yaml: changes belong there.
//
// The cross entropy of a row of logits and the class that a label names; labels may say that a row does not
// count.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct cross_entropy_args {
  // inputs
  const float* logits;    // fp32[rows, classes]
  const int64_t* labels;  // int64[rows]

  // outputs
  float* loss;            // fp32[rows]
  int64_t* counted;       // int64[1]

  // sizes
  int64_t rows;           // 1 to 1048576

  // scalars
  int64_t ignore_index;   // int64
};
static_assert(sizeof(cross_entropy_args) == 6 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void cross_entropy_cpu(pto_rt::Runtime& runtime, const cross_entropy_args& args);
extern "C" void cross_entropy_a2a3(pto_rt::Runtime& runtime, const cross_entropy_args& args);
