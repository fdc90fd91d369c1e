// scatter_update: vector kernel of `scatter_update` for a2a3. Made by pyptogen; change the spec, not this file.
// stages scatter_update; tiles tokens 16; memory UB 24576 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_16x128 = Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecB16_16x128 = Tile<TileType::Vec, bfloat16_t, 16, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecB16_1x128 = Tile<TileType::Vec, bfloat16_t, 1, 128, BLayout::RowMajor, 1, 128>;
using RowsGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using CacheGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *cache,
    __gm__ float *rows,
    __gm__ int64_t *slot,
    int32_t tokens_begin,
    int32_t tokens_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);  // indices in GM may have changed
    int32_t tokens0_buffer = 0;  // which of 2 buffers this iteration of tokens0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t tokens0 = tokens_begin + block * 16; tokens0 < tokens_end; tokens0 += nblk * 16, tokens0_buffer ^= 1) {
        const int32_t tokens0_valid = tokens_end - tokens0 < 16 ? tokens_end - tokens0 : 16;
        // cache: scatter_update(cache, slot, cast(rows, bf16), dim=-2)
        VecF32_16x128 rows_tile(tokens0_valid); TASSIGN(rows_tile, 0x00000 + tokens0_buffer * 0x02000);  // UB 0x00000..0x04000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(tokens0_buffer));  // free again
        RowsGm rows_in(rows + int64_t(tokens0) * 128, {tokens0_valid});
        TLOAD(rows_tile, rows_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(tokens0_buffer));
        VecB16_16x128 cache_1(tokens0_valid); TASSIGN(cache_1, 0x04000 + tokens0_buffer * 0x01000);  // UB 0x04000..0x06000, 2 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(tokens0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(tokens0_buffer));  // free again
        TCVT(cache_1, rows_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(tokens0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(tokens0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(tokens0_buffer));
        // rows of cache_1 to the slots in slot
        for (int32_t row = 0; row < tokens0_valid; ++row) {
            const int64_t slot_i = slot[int64_t(row) + int64_t(tokens0)];
            if (slot_i < 0) {  // this row is not kept
                continue;
            }
            VecB16_1x128 cache_1_one; TASSIGN(cache_1_one, 0x04000 + row * 0x00100 + tokens0_buffer * 0x01000);  // row of cache_1
            CacheGm cache_out(cache + int64_t(slot_i) * 128);
            TSTORE(cache_out, cache_1_one);
        }
        set_flag(PIPE_MTE3, PIPE_V, event_t(tokens0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void scatter_update(
    __gm__ bfloat16_t *cache, __gm__ float *rows, __gm__ int64_t *slot, int32_t tokens_begin, int32_t tokens_end,
    int32_t nblk)
{
    run_block(cache, rows, slot, tokens_begin, tokens_end, nblk, static_cast<int32_t>(get_block_idx()));
}
