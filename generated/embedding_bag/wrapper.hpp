// embedding_bag: the C++ entry. Made by pyptogen from embedding_bag.yaml: changes belong there.
//
// Sums of the rows of a table that each bag of tokens names, as of several hashed or categorical features
// (Naumov et al., "Deep Learning Recommendation Model for Personalization and Recommendation Systems"); -1
// fills bags that are shorter. Rows are added where they lie, one place of all bags of a tile after the
// other.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct embedding_bag_args {
  // inputs
  const uint16_t* table;  // bf16[vocabulary, h]
  const int32_t* token;   // int32[t, bag]

  // outputs
  uint16_t* y;            // bf16[t, h]

  // sizes
  int64_t t;              // 1 to 65536
  int64_t bag;            // 1 to 4096
  int64_t vocabulary;     // 1 to 1048576
};
static_assert(sizeof(embedding_bag_args) == 6 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void embedding_bag_cpu(pto_rt::Runtime& runtime, const embedding_bag_args& args);
extern "C" void embedding_bag_a2a3(pto_rt::Runtime& runtime, const embedding_bag_args& args);
