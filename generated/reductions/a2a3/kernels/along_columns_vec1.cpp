// along_columns_vec1: vector kernel of `reductions` for a2a3. Made by pyptogen; change the spec, not this file.
// stages along_columns; tiles cols 96, column_total_1_part 1, rows 64; memory UB 74112 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x96 = Tile<TileType::Vec, float, 64, 96, BLayout::RowMajor, 64, DYNAMIC>;
using VecF32_64x96m = Tile<TileType::Vec, float, 64, 96, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_32x96 = Tile<TileType::Vec, float, 32, 96, BLayout::RowMajor, 32, DYNAMIC>;
using VecF32_16x96 = Tile<TileType::Vec, float, 16, 96, BLayout::RowMajor, 16, DYNAMIC>;
using VecF32_8x96 = Tile<TileType::Vec, float, 8, 96, BLayout::RowMajor, 8, DYNAMIC>;
using VecF32_1x96 = Tile<TileType::Vec, float, 1, 96, BLayout::RowMajor, 1, DYNAMIC>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 512, 1>>;
using ColumnTotal1PartsGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 512, 1>>;

AICORE inline void run_block(
    __gm__ float *column_total_1_parts,
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
    const int32_t tiles = 48;  // of column_total_1_part0 and cols0
    for (int32_t tile = block; tile < tiles; tile += nblk) {
        const int32_t column_total_1_part0 = tile / 6;
        const int32_t cols0 = tile % 6 * 96;
        const int32_t cols0_valid = 512 - cols0 < 96 ? 512 - cols0 : 96;
        // column_total: sum(x, axis=0)
        VecF32_64x96 column_total_1_parts_rows(cols0_valid); TASSIGN<0x0c180>(column_total_1_parts_rows);  // UB 0x0c180..0x12180
        pipe_barrier(PIPE_V);
        TEXPANDS(column_total_1_parts_rows, 0.0f);
        for (int32_t rows0 = column_total_1_part0 * 64; rows0 < rows; rows0 += 512, rows0_buffer ^= 1) {  // one tile in 8
            const int32_t rows0_valid = rows - rows0 < 64 ? rows - rows0 : 64;
            VecF32_64x96m x_tile(rows0_valid, cols0_valid); TASSIGN(x_tile, 0x00000 + rows0_buffer * 0x06000);  // UB 0x00000..0x0c000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));  // free again
            XGm x_in(x + int64_t(rows0) * 512 + int64_t(cols0), {rows0_valid, cols0_valid});
            TLOAD(x_tile, x_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
            VecF32_64x96m column_total_1_parts_rows_here(rows0_valid, cols0_valid); TASSIGN<0x0c180>(column_total_1_parts_rows_here);  // rows 0.. of column_total_1_parts_rows
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
            TADD(column_total_1_parts_rows_here, column_total_1_parts_rows_here, x_tile);
            set_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));
        }
        VecF32_32x96 column_total_1_parts_tile_folded(cols0_valid); TASSIGN<0x0c180>(column_total_1_parts_tile_folded);  // UB 0x0c180..0x0f180
        VecF32_32x96 column_total_1_parts_rows_32(cols0_valid); TASSIGN<0x0c180>(column_total_1_parts_rows_32);  // rows 0.. of column_total_1_parts_rows
        VecF32_32x96 column_total_1_parts_rows_from_32(cols0_valid); TASSIGN<0x0f180>(column_total_1_parts_rows_from_32);  // rows 32.. of column_total_1_parts_rows
        pipe_barrier(PIPE_V);
        TADD(column_total_1_parts_tile_folded, column_total_1_parts_rows_32, column_total_1_parts_rows_from_32);
        VecF32_16x96 column_total_1_parts_tile_folded_16(cols0_valid); TASSIGN<0x0c180>(column_total_1_parts_tile_folded_16);  // rows 0.. of column_total_1_parts_tile_folded
        VecF32_16x96 column_total_1_parts_tile_folded_from_16(cols0_valid); TASSIGN<0x0d980>(column_total_1_parts_tile_folded_from_16);  // rows 16.. of column_total_1_parts_tile_folded
        pipe_barrier(PIPE_V);
        TADD(column_total_1_parts_tile_folded_16, column_total_1_parts_tile_folded_16, column_total_1_parts_tile_folded_from_16);
        VecF32_8x96 column_total_1_parts_tile_folded_8(cols0_valid); TASSIGN<0x0c180>(column_total_1_parts_tile_folded_8);  // rows 0.. of column_total_1_parts_tile_folded
        VecF32_8x96 column_total_1_parts_tile_folded_from_8(cols0_valid); TASSIGN<0x0cd80>(column_total_1_parts_tile_folded_from_8);  // rows 8.. of column_total_1_parts_tile_folded
        pipe_barrier(PIPE_V);
        TADD(column_total_1_parts_tile_folded_8, column_total_1_parts_tile_folded_8, column_total_1_parts_tile_folded_from_8);
        VecF32_1x96 column_total_1_parts_tile(cols0_valid); TASSIGN<0x0c000>(column_total_1_parts_tile);  // UB 0x0c000..0x0c180
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TCOLSUM(column_total_1_parts_tile, column_total_1_parts_tile_folded_8);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        ColumnTotal1PartsGm column_total_1_parts_out(column_total_1_parts + int64_t(column_total_1_part0) * 512 + int64_t(cols0), {cols0_valid});
        TSTORE(column_total_1_parts_out, column_total_1_parts_tile);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void along_columns_vec1(
    __gm__ float *column_total_1_parts, __gm__ float *x, int32_t rows, int32_t nblk)
{
    run_block(column_total_1_parts, x, rows, nblk, static_cast<int32_t>(get_block_idx()));
}
