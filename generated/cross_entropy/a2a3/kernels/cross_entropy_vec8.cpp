// cross_entropy_vec8: vector kernel of `cross_entropy` for a2a3. Made by pyptogen; change the spec, not this file.
// stages cross_entropy; tiles rows 128; memory UB 5568 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x48 = Tile<TileType::Vec, int32_t, 1, 48, BLayout::RowMajor, 1, 48>;
using VecI32_1x48_c1 = Tile<TileType::Vec, int32_t, 1, 48, BLayout::RowMajor, 1, 1>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, DYNAMIC>;
using CountedPartSumPartsGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 48>, Stride<1, 1, 1, 1, 1>>;
using CountedLow3Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;
using TotalGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ float *loss_1,
    __gm__ int32_t *counted_low_3,
    __gm__ int32_t *counted_high,
    __gm__ float *total,
    __gm__ float *named,
    __gm__ int32_t *counted_part_sum_parts,
    __gm__ int32_t *counted_part_sum_2_parts,
    __gm__ int32_t *counted_part_sum_3_parts,
    __gm__ int32_t *counted_part_sum_4_parts,
    __gm__ int32_t *counted_high_sum_parts,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t rows0_buffer = 0;  // which of 2 buffers this iteration of rows0 uses
    // counted: sum(cast(counts, int64), keepdim=true)
    VecI32_1x48 counted_part_sum_parts_tile; TASSIGN<0x00c00>(counted_part_sum_parts_tile);  // UB 0x00c00..0x00cc0
    CountedPartSumPartsGm counted_part_sum_parts_in(counted_part_sum_parts);
    TLOAD(counted_part_sum_parts_tile, counted_part_sum_parts_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID6);
    VecI32_1x48 counted_part_sum_2_parts_tile; TASSIGN<0x00cc0>(counted_part_sum_2_parts_tile);  // UB 0x00cc0..0x00d80
    CountedPartSumPartsGm counted_part_sum_2_parts_in(counted_part_sum_2_parts);
    TLOAD(counted_part_sum_2_parts_tile, counted_part_sum_2_parts_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID5);
    VecI32_1x48 counted_part_sum_3_parts_tile; TASSIGN<0x00d80>(counted_part_sum_3_parts_tile);  // UB 0x00d80..0x00e40
    CountedPartSumPartsGm counted_part_sum_3_parts_in(counted_part_sum_3_parts);
    TLOAD(counted_part_sum_3_parts_tile, counted_part_sum_3_parts_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
    VecI32_1x48 counted_part_sum_4_parts_tile; TASSIGN<0x00e40>(counted_part_sum_4_parts_tile);  // UB 0x00e40..0x00f00
    CountedPartSumPartsGm counted_part_sum_4_parts_in(counted_part_sum_4_parts);
    TLOAD(counted_part_sum_4_parts_tile, counted_part_sum_4_parts_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
    VecI32_1x48 counted_high_sum_parts_tile; TASSIGN<0x00fc0>(counted_high_sum_parts_tile);  // UB 0x00fc0..0x01080
    CountedPartSumPartsGm counted_high_sum_parts_in(counted_high_sum_parts);
    TLOAD(counted_high_sum_parts_tile, counted_high_sum_parts_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
    VecI32_1x48_c1 counted_part_sum; TASSIGN<0x01140>(counted_part_sum);  // UB 0x01140..0x01200
    VecI32_1x48 counted_part_sum_tmp; TASSIGN<0x01200>(counted_part_sum_tmp);  // UB 0x01200..0x012c0
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID6);
    TROWSUM(counted_part_sum, counted_part_sum_parts_tile, counted_part_sum_tmp);
    VecI32_1x48_c1 counted_part_sum_2; TASSIGN<0x01200>(counted_part_sum_2);  // UB 0x01200..0x012c0
    VecI32_1x48 counted_part_sum_2_tmp; TASSIGN<0x012c0>(counted_part_sum_2_tmp);  // UB 0x012c0..0x01380
    pipe_barrier(PIPE_V);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID5);
    TROWSUM(counted_part_sum_2, counted_part_sum_2_parts_tile, counted_part_sum_2_tmp);
    VecI32_1x48_c1 counted_part_sum_3; TASSIGN<0x012c0>(counted_part_sum_3);  // UB 0x012c0..0x01380
    VecI32_1x48 counted_part_sum_3_tmp; TASSIGN<0x01380>(counted_part_sum_3_tmp);  // UB 0x01380..0x01440
    pipe_barrier(PIPE_V);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
    TROWSUM(counted_part_sum_3, counted_part_sum_3_parts_tile, counted_part_sum_3_tmp);
    VecI32_1x48_c1 counted_part_sum_4; TASSIGN<0x01380>(counted_part_sum_4);  // UB 0x01380..0x01440
    VecI32_1x48 counted_part_sum_4_tmp; TASSIGN<0x01440>(counted_part_sum_4_tmp);  // UB 0x01440..0x01500
    pipe_barrier(PIPE_V);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
    TROWSUM(counted_part_sum_4, counted_part_sum_4_parts_tile, counted_part_sum_4_tmp);
    VecI32_1x48_c1 counted_bits; TASSIGN<0x01440>(counted_bits);  // UB 0x01440..0x01500
    pipe_barrier(PIPE_V);
    TANDS(counted_bits, counted_part_sum, 255);
    VecI32_1x48_c1 counted_down_7; TASSIGN<0x01500>(counted_down_7);  // UB 0x01500..0x015c0
    TSHRS(counted_down_7, counted_part_sum, 8);
    VecI32_1x48_c1 counted_down_8; TASSIGN<0x01140>(counted_down_8);  // UB 0x01140..0x01200
    pipe_barrier(PIPE_V);
    TANDS(counted_down_8, counted_down_7, 16777215);
    VecI32_1x48_c1 counted_carried; TASSIGN<0x01140>(counted_carried);  // UB 0x01140..0x01200
    pipe_barrier(PIPE_V);
    TADD(counted_carried, counted_part_sum_2, counted_down_8);
    VecI32_1x48_c1 counted_bits_2; TASSIGN<0x01200>(counted_bits_2);  // UB 0x01200..0x012c0
    pipe_barrier(PIPE_V);
    TANDS(counted_bits_2, counted_carried, 255);
    VecI32_1x48_c1 counted_up; TASSIGN<0x01500>(counted_up);  // UB 0x01500..0x015c0
    pipe_barrier(PIPE_V);
    TSHLS(counted_up, counted_bits_2, 8);
    VecI32_1x48_c1 counted_low; TASSIGN<0x01200>(counted_low);  // UB 0x01200..0x012c0
    pipe_barrier(PIPE_V);
    TOR(counted_low, counted_bits, counted_up);
    VecI32_1x48_c1 counted_down_9; TASSIGN<0x01440>(counted_down_9);  // UB 0x01440..0x01500
    pipe_barrier(PIPE_V);
    TSHRS(counted_down_9, counted_carried, 8);
    VecI32_1x48_c1 counted_down_10; TASSIGN<0x01140>(counted_down_10);  // UB 0x01140..0x01200
    pipe_barrier(PIPE_V);
    TANDS(counted_down_10, counted_down_9, 16777215);
    VecI32_1x48_c1 counted_carried_2; TASSIGN<0x01140>(counted_carried_2);  // UB 0x01140..0x01200
    pipe_barrier(PIPE_V);
    TADD(counted_carried_2, counted_part_sum_3, counted_down_10);
    VecI32_1x48_c1 counted_bits_3; TASSIGN<0x012c0>(counted_bits_3);  // UB 0x012c0..0x01380
    pipe_barrier(PIPE_V);
    TANDS(counted_bits_3, counted_carried_2, 255);
    VecI32_1x48_c1 counted_up_2; TASSIGN<0x01440>(counted_up_2);  // UB 0x01440..0x01500
    pipe_barrier(PIPE_V);
    TSHLS(counted_up_2, counted_bits_3, 16);
    VecI32_1x48_c1 counted_low_2; TASSIGN<0x012c0>(counted_low_2);  // UB 0x012c0..0x01380
    pipe_barrier(PIPE_V);
    TOR(counted_low_2, counted_low, counted_up_2);
    VecI32_1x48_c1 counted_down_11; TASSIGN<0x01200>(counted_down_11);  // UB 0x01200..0x012c0
    pipe_barrier(PIPE_V);
    TSHRS(counted_down_11, counted_carried_2, 8);
    VecI32_1x48_c1 counted_down_12; TASSIGN<0x01140>(counted_down_12);  // UB 0x01140..0x01200
    pipe_barrier(PIPE_V);
    TANDS(counted_down_12, counted_down_11, 16777215);
    VecI32_1x48_c1 counted_carried_3; TASSIGN<0x01140>(counted_carried_3);  // UB 0x01140..0x01200
    pipe_barrier(PIPE_V);
    TADD(counted_carried_3, counted_part_sum_4, counted_down_12);
    VecI32_1x48_c1 counted_bits_4; TASSIGN<0x01200>(counted_bits_4);  // UB 0x01200..0x012c0
    pipe_barrier(PIPE_V);
    TANDS(counted_bits_4, counted_carried_3, 255);
    VecI32_1x48_c1 counted_up_3; TASSIGN<0x01380>(counted_up_3);  // UB 0x01380..0x01440
    pipe_barrier(PIPE_V);
    TSHLS(counted_up_3, counted_bits_4, 24);
    VecI32_1x48_c1 counted_low_3_tile; TASSIGN<0x00f00>(counted_low_3_tile);  // UB 0x00f00..0x00fc0
    pipe_barrier(PIPE_V);
    TOR(counted_low_3_tile, counted_low_2, counted_up_3);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID3);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID3);
    CountedLow3Gm counted_low_3_out(counted_low_3);
    TSTORE(counted_low_3_out, counted_low_3_tile);
    VecI32_1x48_c1 counted_high_sum; TASSIGN<0x01200>(counted_high_sum);  // UB 0x01200..0x012c0
    VecI32_1x48 counted_high_sum_tmp; TASSIGN<0x012c0>(counted_high_sum_tmp);  // UB 0x012c0..0x01380
    pipe_barrier(PIPE_V);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
    TROWSUM(counted_high_sum, counted_high_sum_parts_tile, counted_high_sum_tmp);
    VecI32_1x48_c1 counted_down_13; TASSIGN<0x012c0>(counted_down_13);  // UB 0x012c0..0x01380
    pipe_barrier(PIPE_V);
    TSHRS(counted_down_13, counted_carried_3, 8);
    VecI32_1x48_c1 counted_down_14; TASSIGN<0x01140>(counted_down_14);  // UB 0x01140..0x01200
    pipe_barrier(PIPE_V);
    TANDS(counted_down_14, counted_down_13, 16777215);
    VecI32_1x48_c1 counted_high_tile; TASSIGN<0x01080>(counted_high_tile);  // UB 0x01080..0x01140
    pipe_barrier(PIPE_V);
    TADD(counted_high_tile, counted_high_sum, counted_down_14);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
    CountedLow3Gm counted_high_out(counted_high);
    TSTORE(counted_high_out, counted_high_tile);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t rows0 = rows_begin + block * 128; rows0 < rows_end; rows0 += nblk * 128, rows0_buffer ^= 1) {
        const int32_t rows0_valid = rows_end - rows0 < 128 ? rows_end - rows0 : 128;
        // loss: where(counts, reshape(total - named, [rows]), 0)
        VecF32_1x128 total_tile_row(rows0_valid); TASSIGN(total_tile_row, 0x00000 + rows0_buffer * 0x00200);  // as a row, same bytes as total_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));  // free again
        TotalGm total_in(total + int64_t(rows0), {rows0_valid});
        TLOAD(total_tile_row, total_in);
        VecF32_1x128 named_tile_row(rows0_valid); TASSIGN(named_tile_row, 0x00400 + rows0_buffer * 0x00200);  // as a row, same bytes as named_tile
        TotalGm named_in(named + int64_t(rows0), {rows0_valid});
        TLOAD(named_tile_row, named_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        VecF32_1x128 loss_1_tile_row(rows0_valid); TASSIGN(loss_1_tile_row, 0x00800 + rows0_buffer * 0x00200);  // as a row, same bytes as loss_1_tile
        wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));  // free again
        TSUB(loss_1_tile_row, total_tile_row, named_tile_row);
        set_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        TotalGm loss_1_out(loss_1 + int64_t(rows0), {rows0_valid});
        TSTORE(loss_1_out, loss_1_tile_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void cross_entropy_vec8(
    __gm__ float *loss_1, __gm__ int32_t *counted_low_3, __gm__ int32_t *counted_high, __gm__ float *total,
    __gm__ float *named, __gm__ int32_t *counted_part_sum_parts, __gm__ int32_t *counted_part_sum_2_parts,
    __gm__ int32_t *counted_part_sum_3_parts, __gm__ int32_t *counted_part_sum_4_parts,
    __gm__ int32_t *counted_high_sum_parts, int32_t rows_begin, int32_t rows_end, int32_t nblk)
{
    run_block(
        loss_1, counted_low_3, counted_high, total, named, counted_part_sum_parts, counted_part_sum_2_parts,
        counted_part_sum_3_parts, counted_part_sum_4_parts, counted_high_sum_parts, rows_begin, rows_end, nblk,
        static_cast<int32_t>(get_block_idx()));
}
