// gather_vec2: vector kernel of `paged_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages gather; tiles i1 1; memory UB 32768 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x8192 = Tile<TileType::Vec, bfloat16_t, 1, 8192, BLayout::RowMajor, 1, 8192>;
using VCacheGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 8192>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void gather_vec2(
    __gm__ bfloat16_t *v_rows,
    __gm__ bfloat16_t *v_cache,
    __gm__ int32_t *block_table,
    int32_t batch,
    int32_t pages,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t i1_slot = 0;  // which of 2 buffers this round of i1 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    for (int32_t i1 = block; i1 < batch * pages; i1 += nblk, i1_slot ^= 1) {
        const int64_t place_2 = block_table[int64_t(i1)];
        // rows: index_select(flat, 0, reshape(table, [batch * pages]))  [paged_attention.yaml:28]
        VecB16_1x8192 part; TASSIGN(part, 0x00000 + i1_slot * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(i1_slot));  // free again
        VCacheGm v_cache_in(v_cache + int64_t(place_2) * 8192);
        TLOAD(part, v_cache_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(i1_slot));
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(i1_slot));
        VCacheGm v_rows_out(v_rows + int64_t(i1) * 8192);
        TSTORE(v_rows_out, part);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(i1_slot));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
#endif
}
