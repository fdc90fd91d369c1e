// block_sparse_attention: the C++ entry. Made by pyptogen from block_sparse_attention.yaml: changes belong there.
//
// Attention over the blocks of keys that a mask lets each block of queries see (as in MoBA and the selection
// of Native Sparse Attention). Rounds whose block is hidden are left out; the mask may hide all blocks of no
// query.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct block_sparse_attention_args {
  // inputs
  const uint16_t* q;    // bf16[heads, q_blocks, size, d]
  const uint16_t* k;    // bf16[heads, kv_blocks, size, d]
  const uint16_t* v;    // bf16[heads, kv_blocks, size, d]
  const int32_t* seen;  // int32[heads, q_blocks, kv_blocks]

  // outputs
  uint16_t* o;          // bf16[heads, q_blocks, size, d]

  // sizes
  int64_t q_blocks;     // 1 to 4096
  int64_t kv_blocks;    // 1 to 4096

  // scalars
  double scale;         // fp32
};
static_assert(sizeof(block_sparse_attention_args) == 8 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void block_sparse_attention_cpu(pto_rt::Runtime& runtime, const block_sparse_attention_args& args);
extern "C" void block_sparse_attention_a2a3(pto_rt::Runtime& runtime, const block_sparse_attention_args& args);
