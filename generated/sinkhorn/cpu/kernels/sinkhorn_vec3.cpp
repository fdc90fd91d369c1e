// sinkhorn_vec3: vector kernel of `sinkhorn` for cpu. Made by pyptogen; change the spec, not this file.
// stages sinkhorn; tiles t 4096, y_planes_columns 4096, y_planes_columns_10 4096, y_planes_columns_11 4096, y_planes_columns_12 4096, y_planes_columns_13 4096, y_planes_columns_14 4096, y_planes_columns_15 4096, y_planes_columns_2 4096, y_planes_columns_3 4096, y_planes_columns_4 4096, y_planes_columns_5 4096, y_planes_columns_6 4096, y_planes_columns_7 4096, y_planes_columns_8 4096, y_planes_columns_9 4096; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using Y00Gm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void sinkhorn_vec3(
    __gm__ float *y_planes,
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
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = block * 4096; t0 < t; t0 += nblk * 4096) {
        const int32_t t0_valid = t - t0 < 4096 ? t - t0 : 4096;
        Y00Gm y_00_in(y_00 + int64_t(t0), {t0_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t0), {t0_valid});
        // return: r / sum(r, axis=-2, keepdim=true)
        TCARRY(y_planes_out, y_00_in);
    }
    for (int32_t y_planes_columns0 = block * 4096; y_planes_columns0 < t; y_planes_columns0 += nblk * 4096) {
        const int32_t y_planes_columns0_valid = t - y_planes_columns0 < 4096 ? t - y_planes_columns0 : 4096;
        Y00Gm y_01_in(y_01 + int64_t(y_planes_columns0), {y_planes_columns0_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) + int64_t(y_planes_columns0), {y_planes_columns0_valid});
        TCARRY(y_planes_out, y_01_in);
    }
    for (int32_t y_planes_columns_20 = block * 4096; y_planes_columns_20 < t; y_planes_columns_20 += nblk * 4096) {
        const int32_t y_planes_columns_20_valid = t - y_planes_columns_20 < 4096 ? t - y_planes_columns_20 : 4096;
        Y00Gm y_02_in(y_02 + int64_t(y_planes_columns_20), {y_planes_columns_20_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 2 + int64_t(y_planes_columns_20), {y_planes_columns_20_valid});
        TCARRY(y_planes_out, y_02_in);
    }
    for (int32_t y_planes_columns_30 = block * 4096; y_planes_columns_30 < t; y_planes_columns_30 += nblk * 4096) {
        const int32_t y_planes_columns_30_valid = t - y_planes_columns_30 < 4096 ? t - y_planes_columns_30 : 4096;
        Y00Gm y_03_in(y_03 + int64_t(y_planes_columns_30), {y_planes_columns_30_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 3 + int64_t(y_planes_columns_30), {y_planes_columns_30_valid});
        TCARRY(y_planes_out, y_03_in);
    }
    for (int32_t y_planes_columns_40 = block * 4096; y_planes_columns_40 < t; y_planes_columns_40 += nblk * 4096) {
        const int32_t y_planes_columns_40_valid = t - y_planes_columns_40 < 4096 ? t - y_planes_columns_40 : 4096;
        Y00Gm y_10_in(y_10 + int64_t(y_planes_columns_40), {y_planes_columns_40_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 4 + int64_t(y_planes_columns_40), {y_planes_columns_40_valid});
        TCARRY(y_planes_out, y_10_in);
    }
    for (int32_t y_planes_columns_50 = block * 4096; y_planes_columns_50 < t; y_planes_columns_50 += nblk * 4096) {
        const int32_t y_planes_columns_50_valid = t - y_planes_columns_50 < 4096 ? t - y_planes_columns_50 : 4096;
        Y00Gm y_11_in(y_11 + int64_t(y_planes_columns_50), {y_planes_columns_50_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 5 + int64_t(y_planes_columns_50), {y_planes_columns_50_valid});
        TCARRY(y_planes_out, y_11_in);
    }
    for (int32_t y_planes_columns_60 = block * 4096; y_planes_columns_60 < t; y_planes_columns_60 += nblk * 4096) {
        const int32_t y_planes_columns_60_valid = t - y_planes_columns_60 < 4096 ? t - y_planes_columns_60 : 4096;
        Y00Gm y_12_in(y_12 + int64_t(y_planes_columns_60), {y_planes_columns_60_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 6 + int64_t(y_planes_columns_60), {y_planes_columns_60_valid});
        TCARRY(y_planes_out, y_12_in);
    }
    for (int32_t y_planes_columns_70 = block * 4096; y_planes_columns_70 < t; y_planes_columns_70 += nblk * 4096) {
        const int32_t y_planes_columns_70_valid = t - y_planes_columns_70 < 4096 ? t - y_planes_columns_70 : 4096;
        Y00Gm y_13_in(y_13 + int64_t(y_planes_columns_70), {y_planes_columns_70_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 7 + int64_t(y_planes_columns_70), {y_planes_columns_70_valid});
        TCARRY(y_planes_out, y_13_in);
    }
    for (int32_t y_planes_columns_80 = block * 4096; y_planes_columns_80 < t; y_planes_columns_80 += nblk * 4096) {
        const int32_t y_planes_columns_80_valid = t - y_planes_columns_80 < 4096 ? t - y_planes_columns_80 : 4096;
        Y00Gm y_20_in(y_20 + int64_t(y_planes_columns_80), {y_planes_columns_80_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 8 + int64_t(y_planes_columns_80), {y_planes_columns_80_valid});
        TCARRY(y_planes_out, y_20_in);
    }
    for (int32_t y_planes_columns_90 = block * 4096; y_planes_columns_90 < t; y_planes_columns_90 += nblk * 4096) {
        const int32_t y_planes_columns_90_valid = t - y_planes_columns_90 < 4096 ? t - y_planes_columns_90 : 4096;
        Y00Gm y_21_in(y_21 + int64_t(y_planes_columns_90), {y_planes_columns_90_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 9 + int64_t(y_planes_columns_90), {y_planes_columns_90_valid});
        TCARRY(y_planes_out, y_21_in);
    }
    for (int32_t y_planes_columns_100 = block * 4096; y_planes_columns_100 < t; y_planes_columns_100 += nblk * 4096) {
        const int32_t y_planes_columns_100_valid = t - y_planes_columns_100 < 4096 ? t - y_planes_columns_100 : 4096;
        Y00Gm y_22_in(y_22 + int64_t(y_planes_columns_100), {y_planes_columns_100_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 10 + int64_t(y_planes_columns_100), {y_planes_columns_100_valid});
        TCARRY(y_planes_out, y_22_in);
    }
    for (int32_t y_planes_columns_110 = block * 4096; y_planes_columns_110 < t; y_planes_columns_110 += nblk * 4096) {
        const int32_t y_planes_columns_110_valid = t - y_planes_columns_110 < 4096 ? t - y_planes_columns_110 : 4096;
        Y00Gm y_23_in(y_23 + int64_t(y_planes_columns_110), {y_planes_columns_110_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 11 + int64_t(y_planes_columns_110), {y_planes_columns_110_valid});
        TCARRY(y_planes_out, y_23_in);
    }
    for (int32_t y_planes_columns_120 = block * 4096; y_planes_columns_120 < t; y_planes_columns_120 += nblk * 4096) {
        const int32_t y_planes_columns_120_valid = t - y_planes_columns_120 < 4096 ? t - y_planes_columns_120 : 4096;
        Y00Gm y_30_in(y_30 + int64_t(y_planes_columns_120), {y_planes_columns_120_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 12 + int64_t(y_planes_columns_120), {y_planes_columns_120_valid});
        TCARRY(y_planes_out, y_30_in);
    }
    for (int32_t y_planes_columns_130 = block * 4096; y_planes_columns_130 < t; y_planes_columns_130 += nblk * 4096) {
        const int32_t y_planes_columns_130_valid = t - y_planes_columns_130 < 4096 ? t - y_planes_columns_130 : 4096;
        Y00Gm y_31_in(y_31 + int64_t(y_planes_columns_130), {y_planes_columns_130_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 13 + int64_t(y_planes_columns_130), {y_planes_columns_130_valid});
        TCARRY(y_planes_out, y_31_in);
    }
    for (int32_t y_planes_columns_140 = block * 4096; y_planes_columns_140 < t; y_planes_columns_140 += nblk * 4096) {
        const int32_t y_planes_columns_140_valid = t - y_planes_columns_140 < 4096 ? t - y_planes_columns_140 : 4096;
        Y00Gm y_32_in(y_32 + int64_t(y_planes_columns_140), {y_planes_columns_140_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 14 + int64_t(y_planes_columns_140), {y_planes_columns_140_valid});
        TCARRY(y_planes_out, y_32_in);
    }
    for (int32_t y_planes_columns_150 = block * 4096; y_planes_columns_150 < t; y_planes_columns_150 += nblk * 4096) {
        const int32_t y_planes_columns_150_valid = t - y_planes_columns_150 < 4096 ? t - y_planes_columns_150 : 4096;
        Y00Gm y_33_in(y_33 + int64_t(y_planes_columns_150), {y_planes_columns_150_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 15 + int64_t(y_planes_columns_150), {y_planes_columns_150_valid});
        TCARRY(y_planes_out, y_33_in);
    }
#endif
}
