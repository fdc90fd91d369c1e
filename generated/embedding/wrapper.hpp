// embedding: the C++ entry. Made by pyptogen from embedding.yaml: changes belong there.
//
// Rows of a table, picked by token.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct embedding_args {
  // inputs
  const uint16_t* table;  // bf16[vocabulary, h]
  const int32_t* token;   // int32[t]

  // outputs
  uint16_t* y;            // bf16[t, h]

  // sizes
  int64_t t;              // 1 to 1048576
  int64_t vocabulary;     // 1 to 1048576
};
static_assert(sizeof(embedding_args) == 5 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void embedding_cpu(pto_rt::Runtime& runtime, const embedding_args& args);
extern "C" void embedding_a2a3(pto_rt::Runtime& runtime, const embedding_args& args);
