// normalise: vector kernel of `softmax_long` for a2a3. Made by pyptogen; change the spec, not this file.
// stages normalise; tiles cols 1024, rows 8; memory UB 163968 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x1024 = Tile<TileType::Vec, float, 8, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using TopGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 16384, 1>>;

AICORE inline void run_block(
    __gm__ float *y,
    __gm__ float *x,
    __gm__ float *top,
    __gm__ float *total,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t cols0_buffer = 0;  // which of 2 buffers this iteration of cols0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    const int32_t tiles = (rows_end - rows_begin + 7) / 8 * 16;  // of rows0 and cols0
    for (int32_t tile = block; tile < tiles; tile += nblk, cols0_buffer ^= 1) {
        const int32_t rows0 = rows_begin + tile / 16 * 8;
        const int32_t rows0_valid = rows_end - rows0 < 8 ? rows_end - rows0 : 8;
        const int32_t cols0 = tile % 16 * 1024;
        // y: exp(x - top) / total
        VecF32_1x8 top_tile_row(rows0_valid); TASSIGN(top_tile_row, 0x10000 + cols0_buffer * 0x00020);  // as a row, same bytes as top_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + cols0_buffer));  // free again
        TopGm top_in(top + int64_t(rows0), {rows0_valid});
        TLOAD(top_tile_row, top_in);
        VecF32_1x8 total_tile_row(rows0_valid); TASSIGN(total_tile_row, 0x10040 + cols0_buffer * 0x00020);  // as a row, same bytes as total_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(cols0_buffer));  // free again
        TopGm total_in(total + int64_t(rows0), {rows0_valid});
        TLOAD(total_tile_row, total_in);
        VecF32_8x1024 x_tile(rows0_valid); TASSIGN(x_tile, 0x00000 + cols0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        XGm x_in(x + int64_t(rows0) * 16384 + int64_t(cols0), {rows0_valid});
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(cols0_buffer));
        VecF32_8x1024 y_1(rows0_valid); TASSIGN<0x20080>(y_1);  // UB 0x20080..0x28080
        VecF32_8x1 top_tile(rows0_valid); TASSIGN(top_tile, 0x10000 + cols0_buffer * 0x00020);  // UB 0x10000..0x10040, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(cols0_buffer));
        TROWEXPANDSUB(y_1, x_tile, top_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + cols0_buffer));
        pipe_barrier(PIPE_V);
        TEXP(y_1, y_1);
        VecF32_8x1024 y_tile(rows0_valid); TASSIGN(y_tile, 0x10080 + cols0_buffer * 0x08000);  // UB 0x10080..0x20080, 2 copies
        VecF32_8x1 total_tile(rows0_valid); TASSIGN(total_tile, 0x10040 + cols0_buffer * 0x00020);  // UB 0x10040..0x10080, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(cols0_buffer));  // free again
        TROWEXPANDDIV(y_tile, y_1, total_tile);
        set_flag(PIPE_V, PIPE_MTE3, event_t(cols0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(cols0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(cols0_buffer));
        XGm y_out(y + int64_t(rows0) * 16384 + int64_t(cols0), {rows0_valid});
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(cols0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void normalise(
    __gm__ float *y, __gm__ float *x, __gm__ float *top, __gm__ float *total, int32_t rows_begin, int32_t rows_end,
    int32_t nblk)
{
    run_block(y, x, top, total, rows_begin, rows_end, nblk, static_cast<int32_t>(get_block_idx()));
}
