// sinkhorn_vec2: vector kernel of `sinkhorn` for cpu. Made by pyptogen; change the spec, not this file.
// stages sinkhorn; tiles t 4096; memory UB 327680 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x4096 = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, DYNAMIC>;
using XTransposedGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void sinkhorn_vec2(
    __gm__ float *y_00,
    __gm__ float *y_01,
    __gm__ float *y_02,
    __gm__ float *y_03,
    __gm__ float *y_10,
    __gm__ float *y_11,
    __gm__ float *y_12,
    __gm__ float *y_13,
    __gm__ float *y_20,
    __gm__ float *y_21,
    __gm__ float *y_22,
    __gm__ float *y_23,
    __gm__ float *y_30,
    __gm__ float *y_31,
    __gm__ float *y_32,
    __gm__ float *y_33,
    __gm__ float *x_transposed,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block * 4096; t0 < t_end; t0 += nblk * 4096) {
        const int32_t t0_valid = t_end - t0 < 4096 ? t_end - t0 : 4096;
        VecF32_1x4096 e_00(t0_valid); TASSIGN(e_00, 0x00000);  // UB 0x00000..0x04000
        VecF32_1x4096 e_01(t0_valid); TASSIGN(e_01, 0x04000);  // UB 0x04000..0x08000
        VecF32_1x4096 e_02(t0_valid); TASSIGN(e_02, 0x08000);  // UB 0x08000..0x0c000
        VecF32_1x4096 e_03(t0_valid); TASSIGN(e_03, 0x0c000);  // UB 0x0c000..0x10000
        VecF32_1x4096 e_10(t0_valid); TASSIGN(e_10, 0x10000);  // UB 0x10000..0x14000
        VecF32_1x4096 e_11(t0_valid); TASSIGN(e_11, 0x14000);  // UB 0x14000..0x18000
        VecF32_1x4096 e_12(t0_valid); TASSIGN(e_12, 0x18000);  // UB 0x18000..0x1c000
        VecF32_1x4096 e_13(t0_valid); TASSIGN(e_13, 0x1c000);  // UB 0x1c000..0x20000
        VecF32_1x4096 e_20(t0_valid); TASSIGN(e_20, 0x20000);  // UB 0x20000..0x24000
        VecF32_1x4096 e_21(t0_valid); TASSIGN(e_21, 0x24000);  // UB 0x24000..0x28000
        VecF32_1x4096 e_22(t0_valid); TASSIGN(e_22, 0x28000);  // UB 0x28000..0x2c000
        VecF32_1x4096 e_23(t0_valid); TASSIGN(e_23, 0x2c000);  // UB 0x2c000..0x30000
        VecF32_1x4096 e_30(t0_valid); TASSIGN(e_30, 0x30000);  // UB 0x30000..0x34000
        VecF32_1x4096 e_31(t0_valid); TASSIGN(e_31, 0x34000);  // UB 0x34000..0x38000
        VecF32_1x4096 e_32(t0_valid); TASSIGN(e_32, 0x38000);  // UB 0x38000..0x3c000
        VecF32_1x4096 e_33(t0_valid); TASSIGN(e_33, 0x3c000);  // UB 0x3c000..0x40000
        VecF32_1x4096 first_r_1_00_3(t0_valid); TASSIGN(first_r_1_00_3, 0x40000);  // UB 0x40000..0x44000
        VecF32_1x4096 first_r_1_10(t0_valid); TASSIGN(first_r_1_10, 0x44000);  // UB 0x44000..0x48000
        XTransposedGm x_transposed_in(x_transposed + int64_t(t0), {t0_valid});
        XTransposedGm x_transposed_in_2(x_transposed + int64_t(t) + int64_t(t0), {t0_valid});
        XTransposedGm x_transposed_in_3(x_transposed + int64_t(t) * 2 + int64_t(t0), {t0_valid});
        XTransposedGm x_transposed_in_4(x_transposed + int64_t(t) * 3 + int64_t(t0), {t0_valid});
        XTransposedGm x_transposed_in_5(x_transposed + int64_t(t) * 4 + int64_t(t0), {t0_valid});
        XTransposedGm x_transposed_in_6(x_transposed + int64_t(t) * 5 + int64_t(t0), {t0_valid});
        XTransposedGm x_transposed_in_7(x_transposed + int64_t(t) * 6 + int64_t(t0), {t0_valid});
        XTransposedGm x_transposed_in_8(x_transposed + int64_t(t) * 7 + int64_t(t0), {t0_valid});
        XTransposedGm x_transposed_in_9(x_transposed + int64_t(t) * 8 + int64_t(t0), {t0_valid});
        XTransposedGm x_transposed_in_10(x_transposed + int64_t(t) * 9 + int64_t(t0), {t0_valid});
        XTransposedGm x_transposed_in_11(x_transposed + int64_t(t) * 10 + int64_t(t0), {t0_valid});
        XTransposedGm x_transposed_in_12(x_transposed + int64_t(t) * 11 + int64_t(t0), {t0_valid});
        XTransposedGm x_transposed_in_13(x_transposed + int64_t(t) * 12 + int64_t(t0), {t0_valid});
        XTransposedGm x_transposed_in_14(x_transposed + int64_t(t) * 13 + int64_t(t0), {t0_valid});
        XTransposedGm x_transposed_in_15(x_transposed + int64_t(t) * 14 + int64_t(t0), {t0_valid});
        XTransposedGm x_transposed_in_16(x_transposed + int64_t(t) * 15 + int64_t(t0), {t0_valid});
        TPASS(1, t0_valid, [&](auto at) {
            // e: exp(x - amax(x, axis=-1, keepdim=true))
            const auto x_transposed_tile = at.load(x_transposed_in);
            const auto x_transposed_tile_2 = at.load(x_transposed_in_2);
            const auto e_1_00 = at.max(x_transposed_tile, x_transposed_tile_2);
            const auto x_transposed_tile_3 = at.load(x_transposed_in_3);
            const auto e_1_00_2 = at.max(e_1_00, x_transposed_tile_3);
            const auto x_transposed_tile_4 = at.load(x_transposed_in_4);
            const auto e_1_00_3 = at.max(e_1_00_2, x_transposed_tile_4);
            const auto x_transposed_tile_5 = at.load(x_transposed_in_5);
            const auto x_transposed_tile_6 = at.load(x_transposed_in_6);
            const auto e_1_10 = at.max(x_transposed_tile_5, x_transposed_tile_6);
            const auto x_transposed_tile_7 = at.load(x_transposed_in_7);
            const auto e_1_10_2 = at.max(e_1_10, x_transposed_tile_7);
            const auto x_transposed_tile_8 = at.load(x_transposed_in_8);
            const auto e_1_10_3 = at.max(e_1_10_2, x_transposed_tile_8);
            const auto x_transposed_tile_9 = at.load(x_transposed_in_9);
            const auto x_transposed_tile_10 = at.load(x_transposed_in_10);
            const auto e_1_20 = at.max(x_transposed_tile_9, x_transposed_tile_10);
            const auto x_transposed_tile_11 = at.load(x_transposed_in_11);
            const auto e_1_20_2 = at.max(e_1_20, x_transposed_tile_11);
            const auto x_transposed_tile_12 = at.load(x_transposed_in_12);
            const auto e_1_20_3 = at.max(e_1_20_2, x_transposed_tile_12);
            const auto x_transposed_tile_13 = at.load(x_transposed_in_13);
            const auto x_transposed_tile_14 = at.load(x_transposed_in_14);
            const auto e_1_30 = at.max(x_transposed_tile_13, x_transposed_tile_14);
            const auto x_transposed_tile_15 = at.load(x_transposed_in_15);
            const auto e_1_30_2 = at.max(e_1_30, x_transposed_tile_15);
            const auto x_transposed_tile_16 = at.load(x_transposed_in_16);
            const auto e_1_30_3 = at.max(e_1_30_2, x_transposed_tile_16);
            const auto e_2_00 = x_transposed_tile - e_1_00_3;
            const auto e_2_01 = x_transposed_tile_2 - e_1_00_3;
            const auto e_2_02 = x_transposed_tile_3 - e_1_00_3;
            const auto e_2_03 = x_transposed_tile_4 - e_1_00_3;
            const auto e_2_10 = x_transposed_tile_5 - e_1_10_3;
            const auto e_2_11 = x_transposed_tile_6 - e_1_10_3;
            const auto e_2_12 = x_transposed_tile_7 - e_1_10_3;
            const auto e_2_13 = x_transposed_tile_8 - e_1_10_3;
            const auto e_2_20 = x_transposed_tile_9 - e_1_20_3;
            const auto e_2_21 = x_transposed_tile_10 - e_1_20_3;
            const auto e_2_22 = x_transposed_tile_11 - e_1_20_3;
            const auto e_2_23 = x_transposed_tile_12 - e_1_20_3;
            const auto e_2_30 = x_transposed_tile_13 - e_1_30_3;
            const auto e_2_31 = x_transposed_tile_14 - e_1_30_3;
            const auto e_2_32 = x_transposed_tile_15 - e_1_30_3;
            const auto e_2_33 = x_transposed_tile_16 - e_1_30_3;
            const auto e_00_v = at.exp(e_2_00);
            at.store(e_00, e_00_v);
            const auto e_01_v = at.exp(e_2_01);
            at.store(e_01, e_01_v);
            const auto e_02_v = at.exp(e_2_02);
            at.store(e_02, e_02_v);
            const auto e_03_v = at.exp(e_2_03);
            at.store(e_03, e_03_v);
            const auto e_10_v = at.exp(e_2_10);
            at.store(e_10, e_10_v);
            const auto e_11_v = at.exp(e_2_11);
            at.store(e_11, e_11_v);
            const auto e_12_v = at.exp(e_2_12);
            at.store(e_12, e_12_v);
            const auto e_13_v = at.exp(e_2_13);
            at.store(e_13, e_13_v);
            const auto e_20_v = at.exp(e_2_20);
            at.store(e_20, e_20_v);
            const auto e_21_v = at.exp(e_2_21);
            at.store(e_21, e_21_v);
            const auto e_22_v = at.exp(e_2_22);
            at.store(e_22, e_22_v);
            const auto e_23_v = at.exp(e_2_23);
            at.store(e_23, e_23_v);
            const auto e_30_v = at.exp(e_2_30);
            at.store(e_30, e_30_v);
            const auto e_31_v = at.exp(e_2_31);
            at.store(e_31, e_31_v);
            const auto e_32_v = at.exp(e_2_32);
            at.store(e_32, e_32_v);
            const auto e_33_v = at.exp(e_2_33);
            at.store(e_33, e_33_v);
            // r: m / sum(m, axis=-1, keepdim=true)
            const auto first_r_1_00 = e_00_v + e_01_v;
            const auto first_r_1_00_2 = first_r_1_00 + e_02_v;
            const auto first_r_1_00_3_v = first_r_1_00_2 + e_03_v;
            at.store(first_r_1_00_3, first_r_1_00_3_v);
            const auto first_r_1_10_v = e_10_v + e_11_v;
            at.store(first_r_1_10, first_r_1_10_v);
        });
        VecF32_1x4096 first_00(t0_valid); TASSIGN(first_00, 0x00000);  // UB 0x00000..0x04000
        VecF32_1x4096 first_01(t0_valid); TASSIGN(first_01, 0x04000);  // UB 0x04000..0x08000
        VecF32_1x4096 first_02(t0_valid); TASSIGN(first_02, 0x08000);  // UB 0x08000..0x0c000
        VecF32_1x4096 first_03(t0_valid); TASSIGN(first_03, 0x0c000);  // UB 0x0c000..0x10000
        VecF32_1x4096 first_10(t0_valid); TASSIGN(first_10, 0x10000);  // UB 0x10000..0x14000
        VecF32_1x4096 first_11(t0_valid); TASSIGN(first_11, 0x14000);  // UB 0x14000..0x18000
        VecF32_1x4096 first_12(t0_valid); TASSIGN(first_12, 0x18000);  // UB 0x18000..0x1c000
        VecF32_1x4096 first_13(t0_valid); TASSIGN(first_13, 0x1c000);  // UB 0x1c000..0x20000
        VecF32_1x4096 first_20(t0_valid); TASSIGN(first_20, 0x20000);  // UB 0x20000..0x24000
        VecF32_1x4096 first_21(t0_valid); TASSIGN(first_21, 0x24000);  // UB 0x24000..0x28000
        VecF32_1x4096 first_22(t0_valid); TASSIGN(first_22, 0x28000);  // UB 0x28000..0x2c000
        VecF32_1x4096 first_23(t0_valid); TASSIGN(first_23, 0x2c000);  // UB 0x2c000..0x30000
        VecF32_1x4096 first_30(t0_valid); TASSIGN(first_30, 0x30000);  // UB 0x30000..0x34000
        VecF32_1x4096 first_31(t0_valid); TASSIGN(first_31, 0x34000);  // UB 0x34000..0x38000
        VecF32_1x4096 first_32(t0_valid); TASSIGN(first_32, 0x38000);  // UB 0x38000..0x3c000
        VecF32_1x4096 first_33(t0_valid); TASSIGN(first_33, 0x3c000);  // UB 0x3c000..0x40000
        VecF32_1x4096 second_r_1_00_3(t0_valid); TASSIGN(second_r_1_00_3, 0x40000);  // UB 0x40000..0x44000
        VecF32_1x4096 second_r_1_10_3(t0_valid); TASSIGN(second_r_1_10_3, 0x44000);  // UB 0x44000..0x48000
        VecF32_1x4096 second_r_1_20_3(t0_valid); TASSIGN(second_r_1_20_3, 0x48000);  // UB 0x48000..0x4c000
        VecF32_1x4096 second_r_1_30_3(t0_valid); TASSIGN(second_r_1_30_3, 0x4c000);  // UB 0x4c000..0x50000
        TPASS(1, t0_valid, [&](auto at) {
            const auto first_r_1_10_v = at.load(first_r_1_10);
            const auto e_12_v = at.load(e_12);
            const auto first_r_1_10_2 = first_r_1_10_v + e_12_v;
            const auto e_13_v = at.load(e_13);
            const auto first_r_1_10_3 = first_r_1_10_2 + e_13_v;
            const auto e_20_v = at.load(e_20);
            const auto e_21_v = at.load(e_21);
            const auto first_r_1_20 = e_20_v + e_21_v;
            const auto e_22_v = at.load(e_22);
            const auto first_r_1_20_2 = first_r_1_20 + e_22_v;
            const auto e_23_v = at.load(e_23);
            const auto first_r_1_20_3 = first_r_1_20_2 + e_23_v;
            const auto e_30_v = at.load(e_30);
            const auto e_31_v = at.load(e_31);
            const auto first_r_1_30 = e_30_v + e_31_v;
            const auto e_32_v = at.load(e_32);
            const auto first_r_1_30_2 = first_r_1_30 + e_32_v;
            const auto e_33_v = at.load(e_33);
            const auto first_r_1_30_3 = first_r_1_30_2 + e_33_v;
            const auto e_00_v = at.load(e_00);
            const auto first_r_1_00_3_v = at.load(first_r_1_00_3);
            const auto first_r_00 = e_00_v / first_r_1_00_3_v;
            const auto e_01_v = at.load(e_01);
            const auto first_r_01 = e_01_v / first_r_1_00_3_v;
            const auto e_02_v = at.load(e_02);
            const auto first_r_02 = e_02_v / first_r_1_00_3_v;
            const auto e_03_v = at.load(e_03);
            const auto first_r_03 = e_03_v / first_r_1_00_3_v;
            const auto e_10_v = at.load(e_10);
            const auto first_r_10 = e_10_v / first_r_1_10_3;
            const auto e_11_v = at.load(e_11);
            const auto first_r_11 = e_11_v / first_r_1_10_3;
            const auto first_r_12 = e_12_v / first_r_1_10_3;
            const auto first_r_13 = e_13_v / first_r_1_10_3;
            const auto first_r_20 = e_20_v / first_r_1_20_3;
            const auto first_r_21 = e_21_v / first_r_1_20_3;
            const auto first_r_22 = e_22_v / first_r_1_20_3;
            const auto first_r_23 = e_23_v / first_r_1_20_3;
            const auto first_r_30 = e_30_v / first_r_1_30_3;
            const auto first_r_31 = e_31_v / first_r_1_30_3;
            const auto first_r_32 = e_32_v / first_r_1_30_3;
            const auto first_r_33 = e_33_v / first_r_1_30_3;
            // return: r / sum(r, axis=-2, keepdim=true)
            const auto first_1_00 = first_r_00 + first_r_10;
            const auto first_1_00_2 = first_1_00 + first_r_20;
            const auto first_1_00_3 = first_1_00_2 + first_r_30;
            const auto first_1_01 = first_r_01 + first_r_11;
            const auto first_1_01_2 = first_1_01 + first_r_21;
            const auto first_1_01_3 = first_1_01_2 + first_r_31;
            const auto first_1_02 = first_r_02 + first_r_12;
            const auto first_1_02_2 = first_1_02 + first_r_22;
            const auto first_1_02_3 = first_1_02_2 + first_r_32;
            const auto first_1_03 = first_r_03 + first_r_13;
            const auto first_1_03_2 = first_1_03 + first_r_23;
            const auto first_1_03_3 = first_1_03_2 + first_r_33;
            const auto first_00_v = first_r_00 / first_1_00_3;
            at.store(first_00, first_00_v);
            const auto first_01_v = first_r_01 / first_1_01_3;
            at.store(first_01, first_01_v);
            const auto first_02_v = first_r_02 / first_1_02_3;
            at.store(first_02, first_02_v);
            const auto first_03_v = first_r_03 / first_1_03_3;
            at.store(first_03, first_03_v);
            const auto first_10_v = first_r_10 / first_1_00_3;
            at.store(first_10, first_10_v);
            const auto first_11_v = first_r_11 / first_1_01_3;
            at.store(first_11, first_11_v);
            const auto first_12_v = first_r_12 / first_1_02_3;
            at.store(first_12, first_12_v);
            const auto first_13_v = first_r_13 / first_1_03_3;
            at.store(first_13, first_13_v);
            const auto first_20_v = first_r_20 / first_1_00_3;
            at.store(first_20, first_20_v);
            const auto first_21_v = first_r_21 / first_1_01_3;
            at.store(first_21, first_21_v);
            const auto first_22_v = first_r_22 / first_1_02_3;
            at.store(first_22, first_22_v);
            const auto first_23_v = first_r_23 / first_1_03_3;
            at.store(first_23, first_23_v);
            const auto first_30_v = first_r_30 / first_1_00_3;
            at.store(first_30, first_30_v);
            const auto first_31_v = first_r_31 / first_1_01_3;
            at.store(first_31, first_31_v);
            const auto first_32_v = first_r_32 / first_1_02_3;
            at.store(first_32, first_32_v);
            const auto first_33_v = first_r_33 / first_1_03_3;
            at.store(first_33, first_33_v);
            // r: m / sum(m, axis=-1, keepdim=true)
            const auto second_r_1_00 = first_00_v + first_01_v;
            const auto second_r_1_00_2 = second_r_1_00 + first_02_v;
            const auto second_r_1_00_3_v = second_r_1_00_2 + first_03_v;
            at.store(second_r_1_00_3, second_r_1_00_3_v);
            const auto second_r_1_10 = first_10_v + first_11_v;
            const auto second_r_1_10_2 = second_r_1_10 + first_12_v;
            const auto second_r_1_10_3_v = second_r_1_10_2 + first_13_v;
            at.store(second_r_1_10_3, second_r_1_10_3_v);
            const auto second_r_1_20 = first_20_v + first_21_v;
            const auto second_r_1_20_2 = second_r_1_20 + first_22_v;
            const auto second_r_1_20_3_v = second_r_1_20_2 + first_23_v;
            at.store(second_r_1_20_3, second_r_1_20_3_v);
            const auto second_r_1_30 = first_30_v + first_31_v;
            const auto second_r_1_30_2 = second_r_1_30 + first_32_v;
            const auto second_r_1_30_3_v = second_r_1_30_2 + first_33_v;
            at.store(second_r_1_30_3, second_r_1_30_3_v);
        });
        VecF32_1x4096 second_20(t0_valid); TASSIGN(second_20, 0x00000);  // UB 0x00000..0x04000
        VecF32_1x4096 second_21(t0_valid); TASSIGN(second_21, 0x04000);  // UB 0x04000..0x08000
        VecF32_1x4096 second_22(t0_valid); TASSIGN(second_22, 0x08000);  // UB 0x08000..0x0c000
        VecF32_1x4096 second_23(t0_valid); TASSIGN(second_23, 0x0c000);  // UB 0x0c000..0x10000
        VecF32_1x4096 second_30(t0_valid); TASSIGN(second_30, 0x10000);  // UB 0x10000..0x14000
        VecF32_1x4096 second_31(t0_valid); TASSIGN(second_31, 0x14000);  // UB 0x14000..0x18000
        VecF32_1x4096 second_32(t0_valid); TASSIGN(second_32, 0x18000);  // UB 0x18000..0x1c000
        VecF32_1x4096 second_33(t0_valid); TASSIGN(second_33, 0x1c000);  // UB 0x1c000..0x20000
        VecF32_1x4096 third_r_1_20_3(t0_valid); TASSIGN(third_r_1_20_3, 0x40000);  // UB 0x40000..0x44000
        VecF32_1x4096 third_r_1_30_3(t0_valid); TASSIGN(third_r_1_30_3, 0x44000);  // UB 0x44000..0x48000
        VecF32_1x4096 third_r_00(t0_valid); TASSIGN(third_r_00, 0x20000);  // UB 0x20000..0x24000
        VecF32_1x4096 third_r_01(t0_valid); TASSIGN(third_r_01, 0x24000);  // UB 0x24000..0x28000
        VecF32_1x4096 third_r_02(t0_valid); TASSIGN(third_r_02, 0x28000);  // UB 0x28000..0x2c000
        VecF32_1x4096 third_r_03(t0_valid); TASSIGN(third_r_03, 0x2c000);  // UB 0x2c000..0x30000
        VecF32_1x4096 third_r_10(t0_valid); TASSIGN(third_r_10, 0x30000);  // UB 0x30000..0x34000
        VecF32_1x4096 third_r_11(t0_valid); TASSIGN(third_r_11, 0x34000);  // UB 0x34000..0x38000
        VecF32_1x4096 third_r_12(t0_valid); TASSIGN(third_r_12, 0x38000);  // UB 0x38000..0x3c000
        VecF32_1x4096 third_r_13(t0_valid); TASSIGN(third_r_13, 0x3c000);  // UB 0x3c000..0x40000
        TPASS(1, t0_valid, [&](auto at) {
            const auto first_00_v = at.load(first_00);
            const auto second_r_1_00_3_v = at.load(second_r_1_00_3);
            const auto second_r_00 = first_00_v / second_r_1_00_3_v;
            const auto first_01_v = at.load(first_01);
            const auto second_r_01 = first_01_v / second_r_1_00_3_v;
            const auto first_02_v = at.load(first_02);
            const auto second_r_02 = first_02_v / second_r_1_00_3_v;
            const auto first_03_v = at.load(first_03);
            const auto second_r_03 = first_03_v / second_r_1_00_3_v;
            const auto first_10_v = at.load(first_10);
            const auto second_r_1_10_3_v = at.load(second_r_1_10_3);
            const auto second_r_10 = first_10_v / second_r_1_10_3_v;
            const auto first_11_v = at.load(first_11);
            const auto second_r_11 = first_11_v / second_r_1_10_3_v;
            const auto first_12_v = at.load(first_12);
            const auto second_r_12 = first_12_v / second_r_1_10_3_v;
            const auto first_13_v = at.load(first_13);
            const auto second_r_13 = first_13_v / second_r_1_10_3_v;
            const auto first_20_v = at.load(first_20);
            const auto second_r_1_20_3_v = at.load(second_r_1_20_3);
            const auto second_r_20 = first_20_v / second_r_1_20_3_v;
            const auto first_21_v = at.load(first_21);
            const auto second_r_21 = first_21_v / second_r_1_20_3_v;
            const auto first_22_v = at.load(first_22);
            const auto second_r_22 = first_22_v / second_r_1_20_3_v;
            const auto first_23_v = at.load(first_23);
            const auto second_r_23 = first_23_v / second_r_1_20_3_v;
            const auto first_30_v = at.load(first_30);
            const auto second_r_1_30_3_v = at.load(second_r_1_30_3);
            const auto second_r_30 = first_30_v / second_r_1_30_3_v;
            const auto first_31_v = at.load(first_31);
            const auto second_r_31 = first_31_v / second_r_1_30_3_v;
            const auto first_32_v = at.load(first_32);
            const auto second_r_32 = first_32_v / second_r_1_30_3_v;
            const auto first_33_v = at.load(first_33);
            const auto second_r_33 = first_33_v / second_r_1_30_3_v;
            // return: r / sum(r, axis=-2, keepdim=true)
            const auto second_1_00 = second_r_00 + second_r_10;
            const auto second_1_00_2 = second_1_00 + second_r_20;
            const auto second_1_00_3 = second_1_00_2 + second_r_30;
            const auto second_1_01 = second_r_01 + second_r_11;
            const auto second_1_01_2 = second_1_01 + second_r_21;
            const auto second_1_01_3 = second_1_01_2 + second_r_31;
            const auto second_1_02 = second_r_02 + second_r_12;
            const auto second_1_02_2 = second_1_02 + second_r_22;
            const auto second_1_02_3 = second_1_02_2 + second_r_32;
            const auto second_1_03 = second_r_03 + second_r_13;
            const auto second_1_03_2 = second_1_03 + second_r_23;
            const auto second_1_03_3 = second_1_03_2 + second_r_33;
            const auto second_00 = second_r_00 / second_1_00_3;
            const auto second_01 = second_r_01 / second_1_01_3;
            const auto second_02 = second_r_02 / second_1_02_3;
            const auto second_03 = second_r_03 / second_1_03_3;
            const auto second_10 = second_r_10 / second_1_00_3;
            const auto second_11 = second_r_11 / second_1_01_3;
            const auto second_12 = second_r_12 / second_1_02_3;
            const auto second_13 = second_r_13 / second_1_03_3;
            const auto second_20_v = second_r_20 / second_1_00_3;
            at.store(second_20, second_20_v);
            const auto second_21_v = second_r_21 / second_1_01_3;
            at.store(second_21, second_21_v);
            const auto second_22_v = second_r_22 / second_1_02_3;
            at.store(second_22, second_22_v);
            const auto second_23_v = second_r_23 / second_1_03_3;
            at.store(second_23, second_23_v);
            const auto second_30_v = second_r_30 / second_1_00_3;
            at.store(second_30, second_30_v);
            const auto second_31_v = second_r_31 / second_1_01_3;
            at.store(second_31, second_31_v);
            const auto second_32_v = second_r_32 / second_1_02_3;
            at.store(second_32, second_32_v);
            const auto second_33_v = second_r_33 / second_1_03_3;
            at.store(second_33, second_33_v);
            // r: m / sum(m, axis=-1, keepdim=true)
            const auto third_r_1_00 = second_00 + second_01;
            const auto third_r_1_00_2 = third_r_1_00 + second_02;
            const auto third_r_1_00_3 = third_r_1_00_2 + second_03;
            const auto third_r_1_10 = second_10 + second_11;
            const auto third_r_1_10_2 = third_r_1_10 + second_12;
            const auto third_r_1_10_3 = third_r_1_10_2 + second_13;
            const auto third_r_1_20 = second_20_v + second_21_v;
            const auto third_r_1_20_2 = third_r_1_20 + second_22_v;
            const auto third_r_1_20_3_v = third_r_1_20_2 + second_23_v;
            at.store(third_r_1_20_3, third_r_1_20_3_v);
            const auto third_r_1_30 = second_30_v + second_31_v;
            const auto third_r_1_30_2 = third_r_1_30 + second_32_v;
            const auto third_r_1_30_3_v = third_r_1_30_2 + second_33_v;
            at.store(third_r_1_30_3, third_r_1_30_3_v);
            const auto third_r_00_v = second_00 / third_r_1_00_3;
            at.store(third_r_00, third_r_00_v);
            const auto third_r_01_v = second_01 / third_r_1_00_3;
            at.store(third_r_01, third_r_01_v);
            const auto third_r_02_v = second_02 / third_r_1_00_3;
            at.store(third_r_02, third_r_02_v);
            const auto third_r_03_v = second_03 / third_r_1_00_3;
            at.store(third_r_03, third_r_03_v);
            const auto third_r_10_v = second_10 / third_r_1_10_3;
            at.store(third_r_10, third_r_10_v);
            const auto third_r_11_v = second_11 / third_r_1_10_3;
            at.store(third_r_11, third_r_11_v);
            const auto third_r_12_v = second_12 / third_r_1_10_3;
            at.store(third_r_12, third_r_12_v);
            const auto third_r_13_v = second_13 / third_r_1_10_3;
            at.store(third_r_13, third_r_13_v);
        });
        VecF32_1x4096 y_r_00(t0_valid); TASSIGN(y_r_00, 0x30000);  // UB 0x30000..0x34000
        VecF32_1x4096 y_r_01(t0_valid); TASSIGN(y_r_01, 0x20000);  // UB 0x20000..0x24000
        VecF32_1x4096 y_r_02(t0_valid); TASSIGN(y_r_02, 0x00000);  // UB 0x00000..0x04000
        VecF32_1x4096 y_r_03(t0_valid); TASSIGN(y_r_03, 0x04000);  // UB 0x04000..0x08000
        VecF32_1x4096 y_r_10(t0_valid); TASSIGN(y_r_10, 0x34000);  // UB 0x34000..0x38000
        VecF32_1x4096 y_r_11(t0_valid); TASSIGN(y_r_11, 0x24000);  // UB 0x24000..0x28000
        VecF32_1x4096 y_r_12(t0_valid); TASSIGN(y_r_12, 0x08000);  // UB 0x08000..0x0c000
        VecF32_1x4096 y_r_13(t0_valid); TASSIGN(y_r_13, 0x0c000);  // UB 0x0c000..0x10000
        VecF32_1x4096 y_r_20(t0_valid); TASSIGN(y_r_20, 0x38000);  // UB 0x38000..0x3c000
        VecF32_1x4096 y_r_21(t0_valid); TASSIGN(y_r_21, 0x28000);  // UB 0x28000..0x2c000
        VecF32_1x4096 y_r_22(t0_valid); TASSIGN(y_r_22, 0x10000);  // UB 0x10000..0x14000
        VecF32_1x4096 y_r_23(t0_valid); TASSIGN(y_r_23, 0x14000);  // UB 0x14000..0x18000
        VecF32_1x4096 y_r_30(t0_valid); TASSIGN(y_r_30, 0x3c000);  // UB 0x3c000..0x40000
        VecF32_1x4096 y_r_31(t0_valid); TASSIGN(y_r_31, 0x2c000);  // UB 0x2c000..0x30000
        VecF32_1x4096 y_r_32(t0_valid); TASSIGN(y_r_32, 0x18000);  // UB 0x18000..0x1c000
        VecF32_1x4096 y_r_33(t0_valid); TASSIGN(y_r_33, 0x1c000);  // UB 0x1c000..0x20000
        TPASS(1, t0_valid, [&](auto at) {
            const auto second_20_v = at.load(second_20);
            const auto third_r_1_20_3_v = at.load(third_r_1_20_3);
            const auto third_r_20 = second_20_v / third_r_1_20_3_v;
            const auto second_21_v = at.load(second_21);
            const auto third_r_21 = second_21_v / third_r_1_20_3_v;
            const auto second_22_v = at.load(second_22);
            const auto third_r_22 = second_22_v / third_r_1_20_3_v;
            const auto second_23_v = at.load(second_23);
            const auto third_r_23 = second_23_v / third_r_1_20_3_v;
            const auto second_30_v = at.load(second_30);
            const auto third_r_1_30_3_v = at.load(third_r_1_30_3);
            const auto third_r_30 = second_30_v / third_r_1_30_3_v;
            const auto second_31_v = at.load(second_31);
            const auto third_r_31 = second_31_v / third_r_1_30_3_v;
            const auto second_32_v = at.load(second_32);
            const auto third_r_32 = second_32_v / third_r_1_30_3_v;
            const auto second_33_v = at.load(second_33);
            const auto third_r_33 = second_33_v / third_r_1_30_3_v;
            // return: r / sum(r, axis=-2, keepdim=true)
            const auto third_r_00_v = at.load(third_r_00);
            const auto third_r_10_v = at.load(third_r_10);
            const auto third_1_00 = third_r_00_v + third_r_10_v;
            const auto third_1_00_2 = third_1_00 + third_r_20;
            const auto third_1_00_3 = third_1_00_2 + third_r_30;
            const auto third_r_01_v = at.load(third_r_01);
            const auto third_r_11_v = at.load(third_r_11);
            const auto third_1_01 = third_r_01_v + third_r_11_v;
            const auto third_1_01_2 = third_1_01 + third_r_21;
            const auto third_1_01_3 = third_1_01_2 + third_r_31;
            const auto third_r_02_v = at.load(third_r_02);
            const auto third_r_12_v = at.load(third_r_12);
            const auto third_1_02 = third_r_02_v + third_r_12_v;
            const auto third_1_02_2 = third_1_02 + third_r_22;
            const auto third_1_02_3 = third_1_02_2 + third_r_32;
            const auto third_r_03_v = at.load(third_r_03);
            const auto third_r_13_v = at.load(third_r_13);
            const auto third_1_03 = third_r_03_v + third_r_13_v;
            const auto third_1_03_2 = third_1_03 + third_r_23;
            const auto third_1_03_3 = third_1_03_2 + third_r_33;
            const auto third_00 = third_r_00_v / third_1_00_3;
            const auto third_01 = third_r_01_v / third_1_01_3;
            const auto third_02 = third_r_02_v / third_1_02_3;
            const auto third_03 = third_r_03_v / third_1_03_3;
            const auto third_10 = third_r_10_v / third_1_00_3;
            const auto third_11 = third_r_11_v / third_1_01_3;
            const auto third_12 = third_r_12_v / third_1_02_3;
            const auto third_13 = third_r_13_v / third_1_03_3;
            const auto third_20 = third_r_20 / third_1_00_3;
            const auto third_21 = third_r_21 / third_1_01_3;
            const auto third_22 = third_r_22 / third_1_02_3;
            const auto third_23 = third_r_23 / third_1_03_3;
            const auto third_30 = third_r_30 / third_1_00_3;
            const auto third_31 = third_r_31 / third_1_01_3;
            const auto third_32 = third_r_32 / third_1_02_3;
            const auto third_33 = third_r_33 / third_1_03_3;
            // r: m / sum(m, axis=-1, keepdim=true)
            const auto y_r_1_00 = third_00 + third_01;
            const auto y_r_1_00_2 = y_r_1_00 + third_02;
            const auto y_r_1_00_3 = y_r_1_00_2 + third_03;
            const auto y_r_1_10 = third_10 + third_11;
            const auto y_r_1_10_2 = y_r_1_10 + third_12;
            const auto y_r_1_10_3 = y_r_1_10_2 + third_13;
            const auto y_r_1_20 = third_20 + third_21;
            const auto y_r_1_20_2 = y_r_1_20 + third_22;
            const auto y_r_1_20_3 = y_r_1_20_2 + third_23;
            const auto y_r_1_30 = third_30 + third_31;
            const auto y_r_1_30_2 = y_r_1_30 + third_32;
            const auto y_r_1_30_3 = y_r_1_30_2 + third_33;
            const auto y_r_00_v = third_00 / y_r_1_00_3;
            at.store(y_r_00, y_r_00_v);
            const auto y_r_01_v = third_01 / y_r_1_00_3;
            at.store(y_r_01, y_r_01_v);
            const auto y_r_02_v = third_02 / y_r_1_00_3;
            at.store(y_r_02, y_r_02_v);
            const auto y_r_03_v = third_03 / y_r_1_00_3;
            at.store(y_r_03, y_r_03_v);
            const auto y_r_10_v = third_10 / y_r_1_10_3;
            at.store(y_r_10, y_r_10_v);
            const auto y_r_11_v = third_11 / y_r_1_10_3;
            at.store(y_r_11, y_r_11_v);
            const auto y_r_12_v = third_12 / y_r_1_10_3;
            at.store(y_r_12, y_r_12_v);
            const auto y_r_13_v = third_13 / y_r_1_10_3;
            at.store(y_r_13, y_r_13_v);
            const auto y_r_20_v = third_20 / y_r_1_20_3;
            at.store(y_r_20, y_r_20_v);
            const auto y_r_21_v = third_21 / y_r_1_20_3;
            at.store(y_r_21, y_r_21_v);
            const auto y_r_22_v = third_22 / y_r_1_20_3;
            at.store(y_r_22, y_r_22_v);
            const auto y_r_23_v = third_23 / y_r_1_20_3;
            at.store(y_r_23, y_r_23_v);
            const auto y_r_30_v = third_30 / y_r_1_30_3;
            at.store(y_r_30, y_r_30_v);
            const auto y_r_31_v = third_31 / y_r_1_30_3;
            at.store(y_r_31, y_r_31_v);
            const auto y_r_32_v = third_32 / y_r_1_30_3;
            at.store(y_r_32, y_r_32_v);
            const auto y_r_33_v = third_33 / y_r_1_30_3;
            at.store(y_r_33, y_r_33_v);
        });
        XTransposedGm y_00_out(y_00 + int64_t(t0), {t0_valid});
        XTransposedGm y_10_out(y_10 + int64_t(t0), {t0_valid});
        XTransposedGm y_20_out(y_20 + int64_t(t0), {t0_valid});
        XTransposedGm y_30_out(y_30 + int64_t(t0), {t0_valid});
        TPASS(1, t0_valid, [&](auto at) {
            // return: r / sum(r, axis=-2, keepdim=true)
            const auto y_r_00_v = at.load(y_r_00);
            const auto y_r_10_v = at.load(y_r_10);
            const auto y_1_00 = y_r_00_v + y_r_10_v;
            const auto y_r_20_v = at.load(y_r_20);
            const auto y_1_00_2 = y_1_00 + y_r_20_v;
            const auto y_r_30_v = at.load(y_r_30);
            const auto y_1_00_3 = y_1_00_2 + y_r_30_v;
            const auto y_00_tile = y_r_00_v / y_1_00_3;
            const auto y_10_tile = y_r_10_v / y_1_00_3;
            const auto y_20_tile = y_r_20_v / y_1_00_3;
            const auto y_30_tile = y_r_30_v / y_1_00_3;
            at.store(y_00_out, y_00_tile);
            at.store(y_10_out, y_10_tile);
            at.store(y_20_out, y_20_tile);
            at.store(y_30_out, y_30_tile);
        });
        XTransposedGm y_01_out(y_01 + int64_t(t0), {t0_valid});
        XTransposedGm y_11_out(y_11 + int64_t(t0), {t0_valid});
        XTransposedGm y_21_out(y_21 + int64_t(t0), {t0_valid});
        XTransposedGm y_31_out(y_31 + int64_t(t0), {t0_valid});
        TPASS(1, t0_valid, [&](auto at) {
            const auto y_r_01_v = at.load(y_r_01);
            const auto y_r_11_v = at.load(y_r_11);
            const auto y_1_01 = y_r_01_v + y_r_11_v;
            const auto y_r_21_v = at.load(y_r_21);
            const auto y_1_01_2 = y_1_01 + y_r_21_v;
            const auto y_r_31_v = at.load(y_r_31);
            const auto y_1_01_3 = y_1_01_2 + y_r_31_v;
            const auto y_01_tile = y_r_01_v / y_1_01_3;
            const auto y_11_tile = y_r_11_v / y_1_01_3;
            const auto y_21_tile = y_r_21_v / y_1_01_3;
            const auto y_31_tile = y_r_31_v / y_1_01_3;
            at.store(y_01_out, y_01_tile);
            at.store(y_11_out, y_11_tile);
            at.store(y_21_out, y_21_tile);
            at.store(y_31_out, y_31_tile);
        });
        XTransposedGm y_02_out(y_02 + int64_t(t0), {t0_valid});
        XTransposedGm y_03_out(y_03 + int64_t(t0), {t0_valid});
        XTransposedGm y_12_out(y_12 + int64_t(t0), {t0_valid});
        XTransposedGm y_13_out(y_13 + int64_t(t0), {t0_valid});
        XTransposedGm y_22_out(y_22 + int64_t(t0), {t0_valid});
        XTransposedGm y_23_out(y_23 + int64_t(t0), {t0_valid});
        XTransposedGm y_32_out(y_32 + int64_t(t0), {t0_valid});
        XTransposedGm y_33_out(y_33 + int64_t(t0), {t0_valid});
        TPASS(1, t0_valid, [&](auto at) {
            const auto y_r_02_v = at.load(y_r_02);
            const auto y_r_12_v = at.load(y_r_12);
            const auto y_1_02 = y_r_02_v + y_r_12_v;
            const auto y_r_22_v = at.load(y_r_22);
            const auto y_1_02_2 = y_1_02 + y_r_22_v;
            const auto y_r_32_v = at.load(y_r_32);
            const auto y_1_02_3 = y_1_02_2 + y_r_32_v;
            const auto y_r_03_v = at.load(y_r_03);
            const auto y_r_13_v = at.load(y_r_13);
            const auto y_1_03 = y_r_03_v + y_r_13_v;
            const auto y_r_23_v = at.load(y_r_23);
            const auto y_1_03_2 = y_1_03 + y_r_23_v;
            const auto y_r_33_v = at.load(y_r_33);
            const auto y_1_03_3 = y_1_03_2 + y_r_33_v;
            const auto y_02_tile = y_r_02_v / y_1_02_3;
            const auto y_03_tile = y_r_03_v / y_1_03_3;
            const auto y_12_tile = y_r_12_v / y_1_02_3;
            const auto y_13_tile = y_r_13_v / y_1_03_3;
            const auto y_22_tile = y_r_22_v / y_1_02_3;
            const auto y_23_tile = y_r_23_v / y_1_03_3;
            const auto y_32_tile = y_r_32_v / y_1_02_3;
            const auto y_33_tile = y_r_33_v / y_1_03_3;
            at.store(y_02_out, y_02_tile);
            at.store(y_03_out, y_03_tile);
            at.store(y_12_out, y_12_tile);
            at.store(y_13_out, y_13_tile);
            at.store(y_22_out, y_22_tile);
            at.store(y_23_out, y_23_tile);
            at.store(y_32_out, y_32_tile);
            at.store(y_33_out, y_33_tile);
        });
    }
#endif
}
