// paged_attention: the C++ entry. Made by pyptogen from paged_attention.yaml: changes belong there.
//
// Decode attention over a cache in pages (Kwon et al., "Efficient Memory Management for Large Language Model
// Serving with PagedAttention"). Each sequence has a row of the block table, one new token, and a length of
// its own. Pages are read where they lie; those behind a sequence are left out.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct paged_attention_args {
  // inputs
  const uint16_t* q;           // bf16[batch, kv_heads, group, d]
  const uint16_t* k_cache;     // bf16[blocks, block_size, kv_heads, d]
  const uint16_t* v_cache;     // bf16[blocks, block_size, kv_heads, d]
  const int32_t* block_table;  // int32[batch, pages]
  const int32_t* lengths;      // int32[batch]

  // outputs
  uint16_t* o;                 // bf16[batch, kv_heads, group, d]

  // sizes
  int64_t batch;               // 1 to 1024
  int64_t pages;               // 1 to 4096
  int64_t blocks;              // 1 to 1048576
};
static_assert(sizeof(paged_attention_args) == 9 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void paged_attention_cpu(pto_rt::Runtime& runtime, const paged_attention_args& args);
extern "C" void paged_attention_a2a3(pto_rt::Runtime& runtime, const paged_attention_args& args);
