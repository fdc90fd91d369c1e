// column_sum: vector kernel of `column_sum` for a2a3. Made by pyptogen; change the spec, not this file.
// stages column_sum; tiles cols 96, rows 96; memory UB 110976 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_96x96 = Tile<TileType::Vec, float, 96, 96, BLayout::RowMajor, 96, DYNAMIC>;
using VecF32_96x96m = Tile<TileType::Vec, float, 96, 96, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_48x96 = Tile<TileType::Vec, float, 48, 96, BLayout::RowMajor, 48, DYNAMIC>;
using VecF32_24x96 = Tile<TileType::Vec, float, 24, 96, BLayout::RowMajor, 24, DYNAMIC>;
using VecF32_12x96 = Tile<TileType::Vec, float, 12, 96, BLayout::RowMajor, 12, DYNAMIC>;
using VecF32_6x96 = Tile<TileType::Vec, float, 6, 96, BLayout::RowMajor, 6, DYNAMIC>;
using VecF32_1x96 = Tile<TileType::Vec, float, 1, 96, BLayout::RowMajor, 1, DYNAMIC>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 4096, 1>>;
using YGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ float *y,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t rows0_buffer = 0;  // which of 2 buffers this iteration of rows0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    for (int32_t cols0 = block * 96; cols0 < 4096; cols0 += nblk * 96) {
        const int32_t cols0_valid = 4096 - cols0 < 96 ? 4096 - cols0 : 96;
        // y: sum(x, axis=0, keepdim=true)
        VecF32_96x96 y_rows(cols0_valid); TASSIGN<0x12180>(y_rows);  // UB 0x12180..0x1b180
        pipe_barrier(PIPE_V);
        TEXPANDS(y_rows, 0.0f);
        for (int32_t rows0 = 0; rows0 < rows; rows0 += 96, rows0_buffer ^= 1) {
            const int32_t rows0_valid = rows - rows0 < 96 ? rows - rows0 : 96;
            VecF32_96x96m x_tile(rows0_valid, cols0_valid); TASSIGN(x_tile, 0x00000 + rows0_buffer * 0x09000);  // UB 0x00000..0x12000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));  // free again
            XGm x_in(x + int64_t(rows0) * 4096 + int64_t(cols0), {rows0_valid, cols0_valid});
            TLOAD(x_tile, x_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
            VecF32_96x96m y_rows_here(rows0_valid, cols0_valid); TASSIGN<0x12180>(y_rows_here);  // rows 0.. of y_rows
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
            TADD(y_rows_here, y_rows_here, x_tile);
            set_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));
        }
        VecF32_48x96 y_tile_folded(cols0_valid); TASSIGN<0x12180>(y_tile_folded);  // UB 0x12180..0x16980
        VecF32_48x96 y_rows_48(cols0_valid); TASSIGN<0x12180>(y_rows_48);  // rows 0.. of y_rows
        VecF32_48x96 y_rows_from_48(cols0_valid); TASSIGN<0x16980>(y_rows_from_48);  // rows 48.. of y_rows
        pipe_barrier(PIPE_V);
        TADD(y_tile_folded, y_rows_48, y_rows_from_48);
        VecF32_24x96 y_tile_folded_24(cols0_valid); TASSIGN<0x12180>(y_tile_folded_24);  // rows 0.. of y_tile_folded
        VecF32_24x96 y_tile_folded_from_24(cols0_valid); TASSIGN<0x14580>(y_tile_folded_from_24);  // rows 24.. of y_tile_folded
        pipe_barrier(PIPE_V);
        TADD(y_tile_folded_24, y_tile_folded_24, y_tile_folded_from_24);
        VecF32_12x96 y_tile_folded_12(cols0_valid); TASSIGN<0x12180>(y_tile_folded_12);  // rows 0.. of y_tile_folded
        VecF32_12x96 y_tile_folded_from_12(cols0_valid); TASSIGN<0x13380>(y_tile_folded_from_12);  // rows 12.. of y_tile_folded
        pipe_barrier(PIPE_V);
        TADD(y_tile_folded_12, y_tile_folded_12, y_tile_folded_from_12);
        VecF32_6x96 y_tile_folded_6(cols0_valid); TASSIGN<0x12180>(y_tile_folded_6);  // rows 0.. of y_tile_folded
        VecF32_6x96 y_tile_folded_from_6(cols0_valid); TASSIGN<0x12a80>(y_tile_folded_from_6);  // rows 6.. of y_tile_folded
        pipe_barrier(PIPE_V);
        TADD(y_tile_folded_6, y_tile_folded_6, y_tile_folded_from_6);
        VecF32_1x96 y_tile(cols0_valid); TASSIGN<0x12000>(y_tile);  // UB 0x12000..0x12180
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TCOLSUM(y_tile, y_tile_folded_6);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        YGm y_out(y + int64_t(cols0), {cols0_valid});
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void column_sum(__gm__ float *y, __gm__ float *x, int32_t rows, int32_t nblk)
{
    run_block(y, x, rows, nblk, static_cast<int32_t>(get_block_idx()));
}
