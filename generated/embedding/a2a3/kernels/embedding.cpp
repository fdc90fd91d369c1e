// embedding: vector kernel of `embedding` for a2a3. Made by pyptogen; change the spec, not this file.
// stages embedding; tiles t 8; memory UB 32768 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x1024 = Tile<TileType::Vec, bfloat16_t, 1, 1024, BLayout::RowMajor, 1, 1024>;
using VecB16_8x1024 = Tile<TileType::Vec, bfloat16_t, 8, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using TableGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 1024>, Stride<1, 1, 1, 1024, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 1024, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *table,
    __gm__ int32_t *token,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);  // indices in GM may have changed
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = block * 8; t0 < t; t0 += nblk * 8, t0_buffer ^= 1) {
        const int32_t t0_valid = t - t0 < 8 ? t - t0 : 8;
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(t0_buffer));  // free again
        // rows of table_tile from the slots in token
        for (int32_t row = 0; row < t0_valid; ++row) {
            const int64_t slot = token[int64_t(row) + int64_t(t0)];
            // y: index_select(table, 0, token)
            VecB16_1x1024 table_tile_one; TASSIGN(table_tile_one, 0x00000 + row * 0x00800 + t0_buffer * 0x04000);  // row of table_tile
            TableGm table_in(table + int64_t(slot) * 1024);
            TLOAD(table_tile_one, table_in);
        }
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(t0_buffer));
        VecB16_8x1024 table_tile(t0_valid); TASSIGN(table_tile, 0x00000 + t0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(t0_buffer));
        YGm y_out(y + int64_t(t0) * 1024, {t0_valid});
        TSTORE(y_out, table_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(t0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void embedding(
    __gm__ bfloat16_t *y, __gm__ bfloat16_t *table, __gm__ int32_t *token, int32_t t, int32_t nblk)
{
    run_block(y, table, token, t, nblk, static_cast<int32_t>(get_block_idx()));
}
