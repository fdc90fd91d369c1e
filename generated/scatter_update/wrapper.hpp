// scatter_update: the C++ entry. Made by pyptogen from scatter_update.yaml: changes belong there.
//
// New rows, rounded to bf16, go to their slots of a paged cache; -1 skips a row.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct scatter_update_args {
  // inputs
  uint16_t* cache;      // bf16[blocks, block_size, d], in place
  const int64_t* slot;  // int64[tokens]
  const float* rows;    // fp32[tokens, d]

  // sizes
  int64_t tokens;       // 1 to 16384
  int64_t blocks;       // 1 to 65536
};
static_assert(sizeof(scatter_update_args) == 5 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void scatter_update_cpu(pto_rt::Runtime& runtime, const scatter_update_args& args);
extern "C" void scatter_update_a2a3(pto_rt::Runtime& runtime, const scatter_update_args& args);
