// along_columns_vec4: vector kernel of `reductions` for a2a3. Made by pyptogen; change the spec, not this file.
// stages along_columns; tiles i1 96; memory UB 3840 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x96 = Tile<TileType::Vec, float, 8, 96, BLayout::RowMajor, 8, DYNAMIC>;
using VecF32_1x96 = Tile<TileType::Vec, float, 1, 96, BLayout::RowMajor, 1, DYNAMIC>;
using ColumnLargest1PartsGm = GlobalTensor<float, Shape<1, 1, 1, 8, DYNAMIC>, Stride<1, 1, 1, 512, 1>>;
using ColumnLargestGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ float *column_largest,
    __gm__ float *column_largest_1_parts,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    for (int32_t i1 = block * 96; i1 < 512; i1 += nblk * 96) {
        const int32_t i1_valid = 512 - i1 < 96 ? 512 - i1 : 96;
        // column_largest: amax(x, axis=0)
        VecF32_8x96 part(i1_valid); TASSIGN<0x00000>(part);  // UB 0x00000..0x00c00
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free again
        ColumnLargest1PartsGm column_largest_1_parts_in(column_largest_1_parts + int64_t(i1), {i1_valid});
        TLOAD(part, column_largest_1_parts_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        VecF32_1x96 total_2(i1_valid); TASSIGN<0x00c00>(total_2);  // UB 0x00c00..0x00d80
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TEXPANDS(total_2, -__builtin_inff());
        VecF32_1x96 found(i1_valid); TASSIGN<0x00d80>(found);  // UB 0x00d80..0x00f00
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        TCOLMAX(found, part);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        pipe_barrier(PIPE_V);
        TMAX(total_2, total_2, found);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        ColumnLargestGm column_largest_out(column_largest + int64_t(i1), {i1_valid});
        TSTORE(column_largest_out, total_2);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void along_columns_vec4(
    __gm__ float *column_largest, __gm__ float *column_largest_1_parts, int32_t nblk)
{
    run_block(column_largest, column_largest_1_parts, nblk, static_cast<int32_t>(get_block_idx()));
}
