// copies_vec1: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages copies; tiles t 1; memory UB 288 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 8>;
using VecU8_1x32_c1 = Tile<TileType::Vec, uint8_t, 1, 32, BLayout::RowMajor, 1, 1>;
using VecF16_1x16_c8 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 8>;
using VecF16_1x16 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 16>;
using SourceGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *rows_1,
    __gm__ int32_t *source,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk, t0_buffer ^= 1) {
        // rows: index_select(x, 0, floor_div(source, k))
        VecI32_1x8 source_tile; TASSIGN(source_tile, 0x00000 + t0_buffer * 0x00020);  // UB 0x00000..0x00040, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        SourceGm source_in(source + int64_t(t0) * 8);
        TLOAD(source_tile, source_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_1x8 rows_1_fp32; TASSIGN<0x00080>(rows_1_fp32);  // UB 0x00080..0x000a0
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TCVT(rows_1_fp32, source_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_1x8 rows_1_ratio; TASSIGN<0x00080>(rows_1_ratio);  // UB 0x00080..0x000a0
        pipe_barrier(PIPE_V);
        TDIVS(rows_1_ratio, rows_1_fp32, 8.0f);
        VecF32_1x8 rows_1_floored; TASSIGN<0x000a0>(rows_1_floored);  // UB 0x000a0..0x000c0
        pipe_barrier(PIPE_V);
        TCVT(rows_1_floored, rows_1_ratio, RoundMode::CAST_FLOOR, SaturationMode::ON);
        VecI32_1x8 rows_1_int32; TASSIGN<0x00080>(rows_1_int32);  // UB 0x00080..0x000a0
        pipe_barrier(PIPE_V);
        TCVT(rows_1_int32, rows_1_floored, RoundMode::CAST_RINT, SaturationMode::ON);
        VecI32_1x8 rows_1_first_taken; TASSIGN<0x000a0>(rows_1_first_taken);  // UB 0x000a0..0x000c0
        pipe_barrier(PIPE_V);
        TMULS(rows_1_first_taken, rows_1_int32, 8);
        VecI32_1x8 rows_1_first_left; TASSIGN<0x000a0>(rows_1_first_left);  // UB 0x000a0..0x000c0
        pipe_barrier(PIPE_V);
        TSUB(rows_1_first_left, source_tile, rows_1_first_taken);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecF32_1x8 rows_1_fp32_2; TASSIGN<0x000c0>(rows_1_fp32_2);  // UB 0x000c0..0x000e0
        pipe_barrier(PIPE_V);
        TCVT(rows_1_fp32_2, rows_1_first_left, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_1x8 rows_1_ratio_2; TASSIGN<0x000c0>(rows_1_ratio_2);  // UB 0x000c0..0x000e0
        pipe_barrier(PIPE_V);
        TDIVS(rows_1_ratio_2, rows_1_fp32_2, 8.0f);
        VecF32_1x8 rows_1_floored_2; TASSIGN<0x000e0>(rows_1_floored_2);  // UB 0x000e0..0x00100
        pipe_barrier(PIPE_V);
        TCVT(rows_1_floored_2, rows_1_ratio_2, RoundMode::CAST_FLOOR, SaturationMode::ON);
        VecI32_1x8 rows_1_int32_2; TASSIGN<0x000c0>(rows_1_int32_2);  // UB 0x000c0..0x000e0
        pipe_barrier(PIPE_V);
        TCVT(rows_1_int32_2, rows_1_floored_2, RoundMode::CAST_RINT, SaturationMode::ON);
        VecI32_1x8 rows_1_second_taken; TASSIGN<0x000e0>(rows_1_second_taken);  // UB 0x000e0..0x00100
        pipe_barrier(PIPE_V);
        TMULS(rows_1_second_taken, rows_1_int32_2, 8);
        VecI32_1x8 rows_1_second_left; TASSIGN<0x000a0>(rows_1_second_left);  // UB 0x000a0..0x000c0
        pipe_barrier(PIPE_V);
        TSUB(rows_1_second_left, rows_1_first_left, rows_1_second_taken);
        VecI32_1x8 rows_1_sum; TASSIGN<0x00080>(rows_1_sum);  // UB 0x00080..0x000a0
        TADD(rows_1_sum, rows_1_int32, rows_1_int32_2);
        VecI32_1x8 rows_1_larger; TASSIGN<0x000c0>(rows_1_larger);  // UB 0x000c0..0x000e0
        pipe_barrier(PIPE_V);
        TMAXS(rows_1_larger, rows_1_second_left, 0);
        VecU8_1x32_c1 rows_1_equal_bits; TASSIGN<0x000e0>(rows_1_equal_bits);  // UB 0x000e0..0x00100
        pipe_barrier(PIPE_V);
        TCMP(rows_1_equal_bits, rows_1_larger, rows_1_second_left, CmpMode::EQ);
        VecF16_1x16_c8 rows_1_equal; TASSIGN<0x000c0>(rows_1_equal);  // UB 0x000c0..0x000e0
        pipe_barrier(PIPE_V);
        TEXPANDS(rows_1_equal, 1.0f);
        VecF16_1x16 rows_1_equal_tmp; TASSIGN<0x00100>(rows_1_equal_tmp);  // UB 0x00100..0x00120
        pipe_barrier(PIPE_V);
        TSELS(rows_1_equal, rows_1_equal_bits, rows_1_equal, rows_1_equal_tmp, 0.0f);
        VecF16_1x16_c8 rows_1_inverse; TASSIGN<0x000c0>(rows_1_inverse);  // UB 0x000c0..0x000e0
        pipe_barrier(PIPE_V);
        TNEG(rows_1_inverse, rows_1_equal);
        pipe_barrier(PIPE_V);
        TADDS(rows_1_inverse, rows_1_inverse, 1.0f);
        VecI32_1x8 rows_1_int32_3; TASSIGN<0x000e0>(rows_1_int32_3);  // UB 0x000e0..0x00100
        pipe_barrier(PIPE_V);
        TCVT(rows_1_int32_3, rows_1_inverse, RoundMode::CAST_RINT, SaturationMode::ON);
        VecI32_1x8 rows_1_larger_2; TASSIGN<0x000c0>(rows_1_larger_2);  // UB 0x000c0..0x000e0
        pipe_barrier(PIPE_V);
        TMAXS(rows_1_larger_2, rows_1_second_left, 8);
        VecU8_1x32_c1 rows_1_equal_2_bits; TASSIGN<0x00100>(rows_1_equal_2_bits);  // UB 0x00100..0x00120
        pipe_barrier(PIPE_V);
        TCMP(rows_1_equal_2_bits, rows_1_larger_2, rows_1_second_left, CmpMode::EQ);
        VecF16_1x16_c8 rows_1_equal_2; TASSIGN<0x000a0>(rows_1_equal_2);  // UB 0x000a0..0x000c0
        pipe_barrier(PIPE_V);
        TEXPANDS(rows_1_equal_2, 1.0f);
        VecF16_1x16 rows_1_equal_2_tmp; TASSIGN<0x000c0>(rows_1_equal_2_tmp);  // UB 0x000c0..0x000e0
        pipe_barrier(PIPE_V);
        TSELS(rows_1_equal_2, rows_1_equal_2_bits, rows_1_equal_2, rows_1_equal_2_tmp, 0.0f);
        VecI32_1x8 rows_1_int32_4; TASSIGN<0x000c0>(rows_1_int32_4);  // UB 0x000c0..0x000e0
        pipe_barrier(PIPE_V);
        TCVT(rows_1_int32_4, rows_1_equal_2, RoundMode::CAST_RINT, SaturationMode::ON);
        VecI32_1x8 rows_1_lowered; TASSIGN<0x00080>(rows_1_lowered);  // UB 0x00080..0x000a0
        TSUB(rows_1_lowered, rows_1_sum, rows_1_int32_3);
        VecI32_1x8 rows_1_tile; TASSIGN(rows_1_tile, 0x00040 + t0_buffer * 0x00020);  // UB 0x00040..0x00080, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TADD(rows_1_tile, rows_1_lowered, rows_1_int32_4);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        SourceGm rows_1_out(rows_1 + int64_t(t0) * 8);
        TSTORE(rows_1_out, rows_1_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void copies_vec1(
    __gm__ int32_t *rows_1, __gm__ int32_t *source, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(rows_1, source, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
