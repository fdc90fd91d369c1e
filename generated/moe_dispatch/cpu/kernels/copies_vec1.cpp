// copies_vec1: vector kernel of `moe_dispatch` for cpu. Made by pyptogen; change the spec, not this file.
// stages copies; tiles t 1; memory UB 352 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF16_1x16_c8 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 8>;
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 8>;
using VecU8_1x32_c1 = Tile<TileType::Vec, uint8_t, 1, 32, BLayout::RowMajor, 1, 1>;
using VecF16_1x16 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 16>;
using SourceGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void copies_vec1(
    __gm__ int32_t *rows_1,
    __gm__ int32_t *source,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        // rows: index_select(x, 0, floor_div(source, k))
        VecF16_1x16_c8 rows_1_lt; TASSIGN(rows_1_lt, 0x00000);  // UB 0x00000..0x00020
        TEXPANDS(rows_1_lt, 1.0f);
        VecF16_1x16_c8 rows_1_ge; TASSIGN(rows_1_ge, 0x00040);  // UB 0x00040..0x00060
        TEXPANDS(rows_1_ge, 1.0f);
        VecI32_1x8 source_tile; TASSIGN(source_tile, 0x00080);  // UB 0x00080..0x000a0
        VecF32_1x8 rows_1_ratio; TASSIGN(rows_1_ratio, 0x000c0);  // UB 0x000c0..0x000e0
        SourceGm source_in(source + int64_t(t0) * 8);
        TPASS(1, 8, [&](auto at) {
            const auto source_tile_v = at.load(source_in);
            at.store(source_tile, source_tile_v);
            const auto rows_1_fp32 = at.to_float(source_tile_v);
            const auto rows_1_ratio_v = rows_1_fp32 / 8.0f;
            at.store(rows_1_ratio, rows_1_ratio_v);
        });
        VecF32_1x8 rows_1_floored; TASSIGN(rows_1_floored, 0x00100);  // UB 0x00100..0x00120
        TCVT(rows_1_floored, rows_1_ratio, RoundMode::CAST_FLOOR);
        VecI32_1x8 rows_1_int32; TASSIGN(rows_1_int32, 0x000c0);  // UB 0x000c0..0x000e0
        TCVT(rows_1_int32, rows_1_floored, RoundMode::CAST_RINT);
        VecI32_1x8 rows_1_first_taken; TASSIGN(rows_1_first_taken, 0x00100);  // UB 0x00100..0x00120
        TMULS(rows_1_first_taken, rows_1_int32, 8);
        VecI32_1x8 rows_1_first_left; TASSIGN(rows_1_first_left, 0x00080);  // UB 0x00080..0x000a0
        VecF32_1x8 rows_1_ratio_2; TASSIGN(rows_1_ratio_2, 0x00140);  // UB 0x00140..0x00160
        TPASS(1, 8, [&](auto at) {
            const auto source_tile_v = at.load(source_tile);
            const auto rows_1_first_taken_v = at.load(rows_1_first_taken);
            const auto rows_1_first_left_v = source_tile_v - rows_1_first_taken_v;
            at.store(rows_1_first_left, rows_1_first_left_v);
            const auto rows_1_fp32_2 = at.to_float(rows_1_first_left_v);
            const auto rows_1_ratio_2_v = rows_1_fp32_2 / 8.0f;
            at.store(rows_1_ratio_2, rows_1_ratio_2_v);
        });
        VecF32_1x8 rows_1_floored_2; TASSIGN(rows_1_floored_2, 0x00100);  // UB 0x00100..0x00120
        TCVT(rows_1_floored_2, rows_1_ratio_2, RoundMode::CAST_FLOOR);
        VecI32_1x8 rows_1_int32_2; TASSIGN(rows_1_int32_2, 0x00140);  // UB 0x00140..0x00160
        TCVT(rows_1_int32_2, rows_1_floored_2, RoundMode::CAST_RINT);
        VecI32_1x8 rows_1_second_taken; TASSIGN(rows_1_second_taken, 0x00100);  // UB 0x00100..0x00120
        TMULS(rows_1_second_taken, rows_1_int32_2, 8);
        VecI32_1x8 rows_1_second_left; TASSIGN(rows_1_second_left, 0x00100);  // UB 0x00100..0x00120
        VecI32_1x8 rows_1_sum; TASSIGN(rows_1_sum, 0x00080);  // UB 0x00080..0x000a0
        TPASS(1, 8, [&](auto at) {
            const auto rows_1_first_left_v = at.load(rows_1_first_left);
            const auto rows_1_second_taken_v = at.load(rows_1_second_taken);
            const auto rows_1_second_left_v = rows_1_first_left_v - rows_1_second_taken_v;
            at.store(rows_1_second_left, rows_1_second_left_v);
            const auto rows_1_int32_v = at.load(rows_1_int32);
            const auto rows_1_int32_2_v = at.load(rows_1_int32_2);
            const auto rows_1_sum_v = rows_1_int32_v + rows_1_int32_2_v;
            at.store(rows_1_sum, rows_1_sum_v);
        });
        VecU8_1x32_c1 rows_1_lt_bits; TASSIGN(rows_1_lt_bits, 0x000c0);  // UB 0x000c0..0x000e0
        TCMPS(rows_1_lt_bits, rows_1_second_left, 0, CmpMode::LT);
        VecF16_1x16 rows_1_lt_tmp; TASSIGN(rows_1_lt_tmp, 0x00140);  // UB 0x00140..0x00160
        TSELS(rows_1_lt, rows_1_lt_bits, rows_1_lt, rows_1_lt_tmp, 0.0f);
        VecI32_1x8 rows_1_int32_3; TASSIGN(rows_1_int32_3, 0x000c0);  // UB 0x000c0..0x000e0
        TCVT(rows_1_int32_3, rows_1_lt, RoundMode::CAST_RINT);
        VecU8_1x32_c1 rows_1_ge_bits; TASSIGN(rows_1_ge_bits, 0x00000);  // UB 0x00000..0x00020
        TCMPS(rows_1_ge_bits, rows_1_second_left, 8, CmpMode::GE);
        VecF16_1x16 rows_1_ge_tmp; TASSIGN(rows_1_ge_tmp, 0x00100);  // UB 0x00100..0x00120
        TSELS(rows_1_ge, rows_1_ge_bits, rows_1_ge, rows_1_ge_tmp, 0.0f);
        VecI32_1x8 rows_1_int32_4; TASSIGN(rows_1_int32_4, 0x00000);  // UB 0x00000..0x00020
        TCVT(rows_1_int32_4, rows_1_ge, RoundMode::CAST_RINT);
        SourceGm rows_1_out(rows_1 + int64_t(t0) * 8);
        TPASS(1, 8, [&](auto at) {
            const auto rows_1_sum_v = at.load(rows_1_sum);
            const auto rows_1_int32_3_v = at.load(rows_1_int32_3);
            const auto rows_1_lowered = rows_1_sum_v - rows_1_int32_3_v;
            const auto rows_1_int32_4_v = at.load(rows_1_int32_4);
            const auto rows_1_tile = rows_1_lowered + rows_1_int32_4_v;
            at.store(rows_1_out, rows_1_tile);
        });
    }
#endif
}
