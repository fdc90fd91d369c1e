// hadamard_int8: the C++ entry. Made by pyptogen from hadamard_int8.yaml: changes belong there.
//
// Rows of bf16 turned by a Hadamard matrix and quantised to int8 with a scale a row (as in DeepSeek-V3.2's
// indexer).
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct hadamard_int8_args {
  // inputs
  const uint16_t* x;  // bf16[rows, d]
  const uint16_t* h;  // bf16[d, d]

  // outputs
  int8_t* q;          // int8[rows, d]
  float* scale;       // fp32[rows, 1]

  // sizes
  int64_t rows;       // 1 to 1048576
};
static_assert(sizeof(hadamard_int8_args) == 5 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void hadamard_int8_cpu(pto_rt::Runtime& runtime, const hadamard_int8_args& args);
extern "C" void hadamard_int8_a2a3(pto_rt::Runtime& runtime, const hadamard_int8_args& args);
