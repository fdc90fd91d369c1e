// cross_entropy_vec3: vector kernel of `cross_entropy` for a2a3. Made by pyptogen; change the spec, not this file.
// stages cross_entropy; tiles i1 6144, split 1; memory UB 49728 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x8_c1 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 1>;
using VecI32_1x6144 = Tile<TileType::Vec, int32_t, 1, 6144, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_8x1_r1 = Tile<TileType::Vec, int32_t, 8, 1, BLayout::ColMajor, 1, 1>;
using VecI32_1x128 = Tile<TileType::Vec, int32_t, 1, 128, BLayout::RowMajor, 1, 128>;
using CountedPartGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using CountedPartSumPartsGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *counted_part_sum_parts,
    __gm__ int32_t *counted_part,
    int32_t rows,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t i1_buffer = 0;  // which of 2 buffers this iteration of i1 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    for (int32_t split = block; split < 48; split += nblk) {
        // counted: sum(cast(counts, int64), keepdim=true)
        VecI32_1x8_c1 total_2_row; TASSIGN<0x00000>(total_2_row);  // as a row, same bytes as total_2
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TEXPANDS(total_2_row, 0);
        for (int32_t i1 = split * 6144; i1 < rows; i1 += 294912, i1_buffer ^= 1) {  // one tile in 48
            const int32_t i1_valid = rows - i1 < 6144 ? rows - i1 : 6144;
            VecI32_1x6144 part(i1_valid); TASSIGN(part, 0x00020 + i1_buffer * 0x06000);  // UB 0x00020..0x0c020, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));  // free again
            CountedPartGm counted_part_in(counted_part + int64_t(i1), {i1_valid});
            TLOAD(part, counted_part_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
            VecI32_8x1_r1 found; TASSIGN<0x0c020>(found);  // UB 0x0c020..0x0c040
            VecI32_1x128 found_tmp; TASSIGN<0x0c040>(found_tmp);  // UB 0x0c040..0x0c240
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
            TROWSUM(found, part, found_tmp);
            set_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));
            VecI32_1x8_c1 found_row; TASSIGN<0x0c020>(found_row);  // as a row, same bytes as found
            pipe_barrier(PIPE_V);
            TADD(total_2_row, total_2_row, found_row);
        }
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        CountedPartSumPartsGm counted_part_sum_parts_out(counted_part_sum_parts + int64_t(split));
        TSTORE(counted_part_sum_parts_out, total_2_row);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void cross_entropy_vec3(
    __gm__ int32_t *counted_part_sum_parts, __gm__ int32_t *counted_part, int32_t rows, int32_t nblk)
{
    run_block(counted_part_sum_parts, counted_part, rows, nblk, static_cast<int32_t>(get_block_idx()));
}
