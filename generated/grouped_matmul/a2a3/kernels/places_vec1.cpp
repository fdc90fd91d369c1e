// places_vec1: vector kernel of `grouped_matmul` for a2a3. Made by pyptogen; change the spec, not this file.
// stages places; tiles whole; memory UB 416 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x16 = Tile<TileType::Vec, int32_t, 1, 16, BLayout::RowMajor, 1, 16>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16>;
using VecU8_1x32_c2 = Tile<TileType::Vec, uint8_t, 1, 32, BLayout::RowMajor, 1, 2>;
using VecF16_1x16 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 16>;
using CountGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *need,
    __gm__ int32_t *count,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    // need:  floor_div(count + (r - 1), r)
    VecI32_1x16 count_tile; TASSIGN<0x00000>(count_tile);  // UB 0x00000..0x00040
    CountGm count_in(count);
    TLOAD(count_tile, count_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    VecI32_1x16 need_1; TASSIGN<0x00080>(need_1);  // UB 0x00080..0x000c0
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TADDS(need_1, count_tile, 31);
    VecF32_1x16 need_fp32; TASSIGN<0x000c0>(need_fp32);  // UB 0x000c0..0x00100
    pipe_barrier(PIPE_V);
    TCVT(need_fp32, need_1, RoundMode::CAST_RINT, SaturationMode::ON);
    VecF32_1x16 need_ratio; TASSIGN<0x000c0>(need_ratio);  // UB 0x000c0..0x00100
    pipe_barrier(PIPE_V);
    TDIVS(need_ratio, need_fp32, 32.0f);
    VecF32_1x16 need_floored; TASSIGN<0x00100>(need_floored);  // UB 0x00100..0x00140
    pipe_barrier(PIPE_V);
    TCVT(need_floored, need_ratio, RoundMode::CAST_FLOOR, SaturationMode::ON);
    VecI32_1x16 need_int32; TASSIGN<0x000c0>(need_int32);  // UB 0x000c0..0x00100
    pipe_barrier(PIPE_V);
    TCVT(need_int32, need_floored, RoundMode::CAST_RINT, SaturationMode::ON);
    VecI32_1x16 need_first_taken; TASSIGN<0x00100>(need_first_taken);  // UB 0x00100..0x00140
    pipe_barrier(PIPE_V);
    TMULS(need_first_taken, need_int32, 32);
    VecI32_1x16 need_first_left; TASSIGN<0x00080>(need_first_left);  // UB 0x00080..0x000c0
    pipe_barrier(PIPE_V);
    TSUB(need_first_left, need_1, need_first_taken);
    VecF32_1x16 need_fp32_2; TASSIGN<0x00100>(need_fp32_2);  // UB 0x00100..0x00140
    pipe_barrier(PIPE_V);
    TCVT(need_fp32_2, need_first_left, RoundMode::CAST_RINT, SaturationMode::ON);
    VecF32_1x16 need_ratio_2; TASSIGN<0x00100>(need_ratio_2);  // UB 0x00100..0x00140
    pipe_barrier(PIPE_V);
    TDIVS(need_ratio_2, need_fp32_2, 32.0f);
    VecF32_1x16 need_floored_2; TASSIGN<0x00140>(need_floored_2);  // UB 0x00140..0x00180
    pipe_barrier(PIPE_V);
    TCVT(need_floored_2, need_ratio_2, RoundMode::CAST_FLOOR, SaturationMode::ON);
    VecI32_1x16 need_int32_2; TASSIGN<0x00100>(need_int32_2);  // UB 0x00100..0x00140
    pipe_barrier(PIPE_V);
    TCVT(need_int32_2, need_floored_2, RoundMode::CAST_RINT, SaturationMode::ON);
    VecI32_1x16 need_second_taken; TASSIGN<0x00140>(need_second_taken);  // UB 0x00140..0x00180
    pipe_barrier(PIPE_V);
    TMULS(need_second_taken, need_int32_2, 32);
    VecI32_1x16 need_second_left; TASSIGN<0x00080>(need_second_left);  // UB 0x00080..0x000c0
    pipe_barrier(PIPE_V);
    TSUB(need_second_left, need_first_left, need_second_taken);
    VecI32_1x16 need_sum; TASSIGN<0x000c0>(need_sum);  // UB 0x000c0..0x00100
    TADD(need_sum, need_int32, need_int32_2);
    VecI32_1x16 need_larger; TASSIGN<0x00100>(need_larger);  // UB 0x00100..0x00140
    pipe_barrier(PIPE_V);
    TMAXS(need_larger, need_second_left, 0);
    VecU8_1x32_c2 need_equal_bits; TASSIGN<0x00140>(need_equal_bits);  // UB 0x00140..0x00160
    pipe_barrier(PIPE_V);
    TCMP(need_equal_bits, need_larger, need_second_left, CmpMode::EQ);
    VecF16_1x16 need_equal; TASSIGN<0x00100>(need_equal);  // UB 0x00100..0x00120
    pipe_barrier(PIPE_V);
    TEXPANDS(need_equal, 1.0f);
    VecF16_1x16 need_equal_tmp; TASSIGN<0x00120>(need_equal_tmp);  // UB 0x00120..0x00140
    pipe_barrier(PIPE_V);
    TSELS(need_equal, need_equal_bits, need_equal, need_equal_tmp, 0.0f);
    VecF16_1x16 need_inverse; TASSIGN<0x00100>(need_inverse);  // UB 0x00100..0x00120
    pipe_barrier(PIPE_V);
    TNEG(need_inverse, need_equal);
    pipe_barrier(PIPE_V);
    TADDS(need_inverse, need_inverse, 1.0f);
    VecI32_1x16 need_int32_3; TASSIGN<0x00120>(need_int32_3);  // UB 0x00120..0x00160
    pipe_barrier(PIPE_V);
    TCVT(need_int32_3, need_inverse, RoundMode::CAST_RINT, SaturationMode::ON);
    VecI32_1x16 need_larger_2; TASSIGN<0x00160>(need_larger_2);  // UB 0x00160..0x001a0
    TMAXS(need_larger_2, need_second_left, 32);
    VecU8_1x32_c2 need_equal_2_bits; TASSIGN<0x00100>(need_equal_2_bits);  // UB 0x00100..0x00120
    pipe_barrier(PIPE_V);
    TCMP(need_equal_2_bits, need_larger_2, need_second_left, CmpMode::EQ);
    VecF16_1x16 need_equal_2; TASSIGN<0x00080>(need_equal_2);  // UB 0x00080..0x000a0
    pipe_barrier(PIPE_V);
    TEXPANDS(need_equal_2, 1.0f);
    VecF16_1x16 need_equal_2_tmp; TASSIGN<0x000a0>(need_equal_2_tmp);  // UB 0x000a0..0x000c0
    pipe_barrier(PIPE_V);
    TSELS(need_equal_2, need_equal_2_bits, need_equal_2, need_equal_2_tmp, 0.0f);
    VecI32_1x16 need_int32_4; TASSIGN<0x00160>(need_int32_4);  // UB 0x00160..0x001a0
    pipe_barrier(PIPE_V);
    TCVT(need_int32_4, need_equal_2, RoundMode::CAST_RINT, SaturationMode::ON);
    VecI32_1x16 need_lowered; TASSIGN<0x00080>(need_lowered);  // UB 0x00080..0x000c0
    pipe_barrier(PIPE_V);
    TSUB(need_lowered, need_sum, need_int32_3);
    VecI32_1x16 need_tile; TASSIGN<0x00040>(need_tile);  // UB 0x00040..0x00080
    pipe_barrier(PIPE_V);
    TADD(need_tile, need_lowered, need_int32_4);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    CountGm need_out(need);
    TSTORE(need_out, need_tile);
#endif
}

}  // namespace

extern "C" __global__ AICORE void places_vec1(__gm__ int32_t *need, __gm__ int32_t *count, int32_t nblk)
{
    run_block(need, count, nblk, static_cast<int32_t>(get_block_idx()));
}
