// argmax: vector kernel of `argmax` for a2a3. Made by pyptogen; change the spec, not this file.
// stages argmax; tiles rows 2; memory UB 163968 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x4096 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, DYNAMIC, 4096>;
using VecI32_8x1 = Tile<TileType::Vec, int32_t, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 4096>, Stride<1, 1, 1, 4096, 1>>;
using YGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *y,
    __gm__ float *x,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t rows0_buffer = 0;  // which of 4 buffers this iteration of rows0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    for (int32_t rows0 = rows_begin + block * 2; rows0 < rows_end; rows0 += nblk * 2, rows0_buffer = (rows0_buffer + 1) % 4) {
        const int32_t rows0_valid = rows_end - rows0 < 2 ? rows_end - rows0 : 2;
        // y: argmax(x, axis=-1, keepdim=true)
        VecF32_8x4096 x_tile(rows0_valid); TASSIGN(x_tile, 0x00000 + rows0_buffer * 0x08000);  // UB 0x00000..0x20000, 4 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));  // free again
        XGm x_in(x + int64_t(rows0) * 4096, {rows0_valid});
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        VecI32_8x1 y_tile(rows0_valid); TASSIGN(y_tile, 0x20000 + rows0_buffer * 0x00020);  // UB 0x20000..0x20080, 4 copies
        VecF32_8x4096 y_tile_tmp(rows0_valid); TASSIGN(y_tile_tmp, 0x20080);  // UB 0x20080..0x28080
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));  // free again
        TROWARGMAX(y_tile, x_tile, y_tile_tmp);
        set_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));
        VecI32_1x8 y_tile_row(rows0_valid); TASSIGN(y_tile_row, 0x20000 + rows0_buffer * 0x00020);  // as a row, same bytes as y_tile
        wait_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        YGm y_out(y + int64_t(rows0), {rows0_valid});
        TSTORE(y_out, y_tile_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void argmax(
    __gm__ int32_t *y, __gm__ float *x, int32_t rows_begin, int32_t rows_end, int32_t nblk)
{
    run_block(y, x, rows_begin, rows_end, nblk, static_cast<int32_t>(get_block_idx()));
}
