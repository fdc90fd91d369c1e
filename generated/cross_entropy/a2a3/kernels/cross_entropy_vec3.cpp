// cross_entropy_vec3: vector kernel of `cross_entropy` for a2a3. Made by pyptogen; change the spec, not this file.
// stages cross_entropy; tiles counted_part_sum_part 1, rows 512; memory UB 4672 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x8_c1 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 1>;
using VecI32_1x512 = Tile<TileType::Vec, int32_t, 1, 512, BLayout::RowMajor, 1, DYNAMIC>;
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
    int32_t rows0_buffer = 0;  // which of 2 buffers this iteration of rows0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    for (int32_t counted_part_sum_part0 = block; counted_part_sum_part0 < 48; counted_part_sum_part0 += nblk) {
        // counted: sum(cast(counts, int64), keepdim=true)
        VecI32_1x8_c1 counted_part_sum_parts_tile_row; TASSIGN<0x01000>(counted_part_sum_parts_tile_row);  // as a row, same bytes as counted_part_sum_parts_tile
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TEXPANDS(counted_part_sum_parts_tile_row, 0);
        for (int32_t rows0 = counted_part_sum_part0 * 512; rows0 < rows; rows0 += 24576, rows0_buffer ^= 1) {  // one tile in 48
            const int32_t rows0_valid = rows - rows0 < 512 ? rows - rows0 : 512;
            VecI32_1x512 counted_part_tile(rows0_valid); TASSIGN(counted_part_tile, 0x00000 + rows0_buffer * 0x00800);  // UB 0x00000..0x01000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));  // free again
            CountedPartGm counted_part_in(counted_part + int64_t(rows0), {rows0_valid});
            TLOAD(counted_part_tile, counted_part_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
            VecI32_8x1_r1 counted_part_sum_parts_part; TASSIGN<0x01020>(counted_part_sum_parts_part);  // UB 0x01020..0x01040
            VecI32_1x128 counted_part_sum_parts_part_tmp; TASSIGN<0x01040>(counted_part_sum_parts_part_tmp);  // UB 0x01040..0x01240
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
            TROWSUM(counted_part_sum_parts_part, counted_part_tile, counted_part_sum_parts_part_tmp);
            set_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));
            VecI32_1x8_c1 counted_part_sum_parts_part_row; TASSIGN<0x01020>(counted_part_sum_parts_part_row);  // as a row, same bytes as counted_part_sum_parts_part
            pipe_barrier(PIPE_V);
            TADD(counted_part_sum_parts_tile_row, counted_part_sum_parts_tile_row, counted_part_sum_parts_part_row);
        }
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        CountedPartSumPartsGm counted_part_sum_parts_out(counted_part_sum_parts + int64_t(counted_part_sum_part0));
        TSTORE(counted_part_sum_parts_out, counted_part_sum_parts_tile_row);
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
