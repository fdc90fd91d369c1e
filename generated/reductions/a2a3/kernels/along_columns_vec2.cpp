// along_columns_vec2: vector kernel of `reductions` for a2a3. Made by pyptogen; change the spec, not this file.
// stages along_columns; tiles i1 96, i2 64, split 1; memory UB 74112 B
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
using ColumnLargest1PartsGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ float *column_largest_1_parts,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t i2_buffer = 0;  // which of 2 buffers this iteration of i2 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    const int32_t tiles = 48;  // of split and i1
    for (int32_t tile = block; tile < tiles; tile += nblk) {
        const int32_t split = tile / 6;
        const int32_t i1 = tile % 6 * 96;
        const int32_t i1_valid = 512 - i1 < 96 ? 512 - i1 : 96;
        // column_largest: amax(x, axis=0)
        VecF32_64x96 totals(i1_valid); TASSIGN<0x0c180>(totals);  // UB 0x0c180..0x12180
        pipe_barrier(PIPE_V);
        TEXPANDS(totals, -__builtin_inff());
        for (int32_t i2 = split * 64; i2 < rows; i2 += 512, i2_buffer ^= 1) {  // one tile in 8
            const int32_t i2_valid = rows - i2 < 64 ? rows - i2 : 64;
            VecF32_64x96m part(i2_valid, i1_valid); TASSIGN(part, 0x00000 + i2_buffer * 0x06000);  // UB 0x00000..0x0c000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));  // free again
            XGm x_in(x + int64_t(i2) * 512 + int64_t(i1), {i2_valid, i1_valid});
            TLOAD(part, x_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
            VecF32_64x96m totals_here(i2_valid, i1_valid); TASSIGN<0x0c180>(totals_here);  // rows 0.. of totals
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
            TMAX(totals_here, totals_here, part);
            set_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));
        }
        VecF32_32x96 total_2_folded(i1_valid); TASSIGN<0x0c180>(total_2_folded);  // UB 0x0c180..0x0f180
        VecF32_32x96 totals_32(i1_valid); TASSIGN<0x0c180>(totals_32);  // rows 0.. of totals
        VecF32_32x96 totals_from_32(i1_valid); TASSIGN<0x0f180>(totals_from_32);  // rows 32.. of totals
        pipe_barrier(PIPE_V);
        TMAX(total_2_folded, totals_32, totals_from_32);
        VecF32_16x96 total_2_folded_16(i1_valid); TASSIGN<0x0c180>(total_2_folded_16);  // rows 0.. of total_2_folded
        VecF32_16x96 total_2_folded_from_16(i1_valid); TASSIGN<0x0d980>(total_2_folded_from_16);  // rows 16.. of total_2_folded
        pipe_barrier(PIPE_V);
        TMAX(total_2_folded_16, total_2_folded_16, total_2_folded_from_16);
        VecF32_8x96 total_2_folded_8(i1_valid); TASSIGN<0x0c180>(total_2_folded_8);  // rows 0.. of total_2_folded
        VecF32_8x96 total_2_folded_from_8(i1_valid); TASSIGN<0x0cd80>(total_2_folded_from_8);  // rows 8.. of total_2_folded
        pipe_barrier(PIPE_V);
        TMAX(total_2_folded_8, total_2_folded_8, total_2_folded_from_8);
        VecF32_1x96 total_2(i1_valid); TASSIGN<0x0c000>(total_2);  // UB 0x0c000..0x0c180
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TCOLMAX(total_2, total_2_folded_8);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        ColumnLargest1PartsGm column_largest_1_parts_out(column_largest_1_parts + int64_t(split) * 512 + int64_t(i1), {i1_valid});
        TSTORE(column_largest_1_parts_out, total_2);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void along_columns_vec2(
    __gm__ float *column_largest_1_parts, __gm__ float *x, int32_t rows, int32_t nblk)
{
    run_block(column_largest_1_parts, x, rows, nblk, static_cast<int32_t>(get_block_idx()));
}
