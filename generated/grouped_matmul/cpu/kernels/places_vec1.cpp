// places_vec1: vector kernel of `grouped_matmul` for cpu. Made by pyptogen; change the spec, not this file.
// stages places; tiles whole; memory UB 384 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x16 = Tile<TileType::Vec, int32_t, 1, 16, BLayout::RowMajor, 1, 16>;
using VecF16_1x16 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 16>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16>;
using VecU8_1x32_c2 = Tile<TileType::Vec, uint8_t, 1, 32, BLayout::RowMajor, 1, 2>;
using CountGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void places_vec1(
    __gm__ int32_t *need,
    __gm__ int32_t *count,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // need:  floor_div(count + (r - 1), r)
    VecI32_1x16 count_tile; TASSIGN(count_tile, 0x00000);  // UB 0x00000..0x00040
    CountGm count_in(count);
    TLOAD(count_tile, count_in);
    VecI32_1x16 need_1; TASSIGN(need_1, 0x00040);  // UB 0x00040..0x00080
    TADDS(need_1, count_tile, 31);
    VecF16_1x16 need_lt; TASSIGN(need_lt, 0x00000);  // UB 0x00000..0x00020
    TEXPANDS(need_lt, 1.0f);
    VecF16_1x16 need_ge; TASSIGN(need_ge, 0x00080);  // UB 0x00080..0x000a0
    TEXPANDS(need_ge, 1.0f);
    VecF32_1x16 need_ratio; TASSIGN(need_ratio, 0x000c0);  // UB 0x000c0..0x00100
    TPASS(1, 16, [&](auto at) {
        const auto need_1_v = at.load(need_1);
        const auto need_fp32 = at.to_float(need_1_v);
        const auto need_ratio_v = need_fp32 / 32.0f;
        at.store(need_ratio, need_ratio_v);
    });
    VecF32_1x16 need_floored; TASSIGN(need_floored, 0x00100);  // UB 0x00100..0x00140
    TCVT(need_floored, need_ratio, RoundMode::CAST_FLOOR);
    VecI32_1x16 need_int32; TASSIGN(need_int32, 0x000c0);  // UB 0x000c0..0x00100
    TCVT(need_int32, need_floored, RoundMode::CAST_RINT);
    VecI32_1x16 need_first_taken; TASSIGN(need_first_taken, 0x00100);  // UB 0x00100..0x00140
    TMULS(need_first_taken, need_int32, 32);
    VecI32_1x16 need_first_left; TASSIGN(need_first_left, 0x00040);  // UB 0x00040..0x00080
    VecF32_1x16 need_ratio_2; TASSIGN(need_ratio_2, 0x00140);  // UB 0x00140..0x00180
    TPASS(1, 16, [&](auto at) {
        const auto need_1_v = at.load(need_1);
        const auto need_first_taken_v = at.load(need_first_taken);
        const auto need_first_left_v = need_1_v - need_first_taken_v;
        at.store(need_first_left, need_first_left_v);
        const auto need_fp32_2 = at.to_float(need_first_left_v);
        const auto need_ratio_2_v = need_fp32_2 / 32.0f;
        at.store(need_ratio_2, need_ratio_2_v);
    });
    VecF32_1x16 need_floored_2; TASSIGN(need_floored_2, 0x00100);  // UB 0x00100..0x00140
    TCVT(need_floored_2, need_ratio_2, RoundMode::CAST_FLOOR);
    VecI32_1x16 need_int32_2; TASSIGN(need_int32_2, 0x00140);  // UB 0x00140..0x00180
    TCVT(need_int32_2, need_floored_2, RoundMode::CAST_RINT);
    VecI32_1x16 need_second_taken; TASSIGN(need_second_taken, 0x00100);  // UB 0x00100..0x00140
    TMULS(need_second_taken, need_int32_2, 32);
    VecI32_1x16 need_second_left; TASSIGN(need_second_left, 0x00100);  // UB 0x00100..0x00140
    VecI32_1x16 need_sum; TASSIGN(need_sum, 0x00040);  // UB 0x00040..0x00080
    TPASS(1, 16, [&](auto at) {
        const auto need_first_left_v = at.load(need_first_left);
        const auto need_second_taken_v = at.load(need_second_taken);
        const auto need_second_left_v = need_first_left_v - need_second_taken_v;
        at.store(need_second_left, need_second_left_v);
        const auto need_int32_v = at.load(need_int32);
        const auto need_int32_2_v = at.load(need_int32_2);
        const auto need_sum_v = need_int32_v + need_int32_2_v;
        at.store(need_sum, need_sum_v);
    });
    VecU8_1x32_c2 need_lt_bits; TASSIGN(need_lt_bits, 0x000c0);  // UB 0x000c0..0x000e0
    TCMPS(need_lt_bits, need_second_left, 0, CmpMode::LT);
    VecF16_1x16 need_lt_tmp; TASSIGN(need_lt_tmp, 0x00140);  // UB 0x00140..0x00160
    TSELS(need_lt, need_lt_bits, need_lt, need_lt_tmp, 0.0f);
    VecI32_1x16 need_int32_3; TASSIGN(need_int32_3, 0x000c0);  // UB 0x000c0..0x00100
    TCVT(need_int32_3, need_lt, RoundMode::CAST_RINT);
    VecU8_1x32_c2 need_ge_bits; TASSIGN(need_ge_bits, 0x00000);  // UB 0x00000..0x00020
    TCMPS(need_ge_bits, need_second_left, 32, CmpMode::GE);
    VecF16_1x16 need_ge_tmp; TASSIGN(need_ge_tmp, 0x00100);  // UB 0x00100..0x00120
    TSELS(need_ge, need_ge_bits, need_ge, need_ge_tmp, 0.0f);
    VecI32_1x16 need_int32_4; TASSIGN(need_int32_4, 0x00000);  // UB 0x00000..0x00040
    TCVT(need_int32_4, need_ge, RoundMode::CAST_RINT);
    CountGm need_out(need);
    TPASS(1, 16, [&](auto at) {
        const auto need_sum_v = at.load(need_sum);
        const auto need_int32_3_v = at.load(need_int32_3);
        const auto need_lowered = need_sum_v - need_int32_3_v;
        const auto need_int32_4_v = at.load(need_int32_4);
        const auto need_tile = need_lowered + need_int32_4_v;
        at.store(need_out, need_tile);
    });
#endif
}
