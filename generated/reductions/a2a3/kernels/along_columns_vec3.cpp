// along_columns_vec3: vector kernel of `reductions` for a2a3. Made by pyptogen; change the spec, not this file.
// stages along_columns; tiles cols 64; memory UB 2304 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x64 = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using ColumnTotal1PartsGm = GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, 512, 1>>;
using ColumnTotalGm = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ float *column_total,
    __gm__ float *column_total_1_parts,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    for (int32_t cols0 = block * 64; cols0 < 512; cols0 += nblk * 64) {
        // column_total: sum(x, axis=0)
        VecF32_8x64 column_total_1_parts_tile; TASSIGN<0x00000>(column_total_1_parts_tile);  // UB 0x00000..0x00800
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free again
        ColumnTotal1PartsGm column_total_1_parts_in(column_total_1_parts + int64_t(cols0));
        TLOAD(column_total_1_parts_tile, column_total_1_parts_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        VecF32_1x64 column_total_1; TASSIGN<0x00800>(column_total_1);  // UB 0x00800..0x00900
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TCOLSUM(column_total_1, column_total_1_parts_tile);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        ColumnTotalGm column_total_out(column_total + int64_t(cols0));
        TSTORE(column_total_out, column_total_1);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void along_columns_vec3(
    __gm__ float *column_total, __gm__ float *column_total_1_parts, int32_t nblk)
{
    run_block(column_total, column_total_1_parts, nblk, static_cast<int32_t>(get_block_idx()));
}
