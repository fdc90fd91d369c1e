// sinkhorn_vec3: vector kernel of `sinkhorn` for cpu. Made by pyptogen; change the spec, not this file.
// stages sinkhorn; tiles i1 4096, i10 4096, i11 4096, i12 4096, i13 4096, i14 4096, i15 4096, i16 4096, i2 4096, i3 4096, i4 4096, i5 4096, i6 4096, i7 4096, i8 4096, i9 4096; memory UB 0 B
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
    for (int32_t i1 = block * 4096; i1 < t; i1 += nblk * 4096) {
        const int32_t i1_valid = t - i1 < 4096 ? t - i1 : 4096;
        Y00Gm y_00_in(y_00 + int64_t(i1), {i1_valid});
        Y00Gm y_planes_out(y_planes + int64_t(i1), {i1_valid});
        // return: r / sum(r, axis=-2, keepdim=true)
        TCARRY(y_planes_out, y_00_in);
    }
    for (int32_t i2 = block * 4096; i2 < t; i2 += nblk * 4096) {
        const int32_t i2_valid = t - i2 < 4096 ? t - i2 : 4096;
        Y00Gm y_01_in(y_01 + int64_t(i2), {i2_valid});
        Y00Gm y_planes_out(y_planes + int64_t(i2) + int64_t(t), {i2_valid});
        TCARRY(y_planes_out, y_01_in);
    }
    for (int32_t i3 = block * 4096; i3 < t; i3 += nblk * 4096) {
        const int32_t i3_valid = t - i3 < 4096 ? t - i3 : 4096;
        Y00Gm y_02_in(y_02 + int64_t(i3), {i3_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 2 + int64_t(i3), {i3_valid});
        TCARRY(y_planes_out, y_02_in);
    }
    for (int32_t i4 = block * 4096; i4 < t; i4 += nblk * 4096) {
        const int32_t i4_valid = t - i4 < 4096 ? t - i4 : 4096;
        Y00Gm y_03_in(y_03 + int64_t(i4), {i4_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 3 + int64_t(i4), {i4_valid});
        TCARRY(y_planes_out, y_03_in);
    }
    for (int32_t i5 = block * 4096; i5 < t; i5 += nblk * 4096) {
        const int32_t i5_valid = t - i5 < 4096 ? t - i5 : 4096;
        Y00Gm y_10_in(y_10 + int64_t(i5), {i5_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 4 + int64_t(i5), {i5_valid});
        TCARRY(y_planes_out, y_10_in);
    }
    for (int32_t i6 = block * 4096; i6 < t; i6 += nblk * 4096) {
        const int32_t i6_valid = t - i6 < 4096 ? t - i6 : 4096;
        Y00Gm y_11_in(y_11 + int64_t(i6), {i6_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 5 + int64_t(i6), {i6_valid});
        TCARRY(y_planes_out, y_11_in);
    }
    for (int32_t i7 = block * 4096; i7 < t; i7 += nblk * 4096) {
        const int32_t i7_valid = t - i7 < 4096 ? t - i7 : 4096;
        Y00Gm y_12_in(y_12 + int64_t(i7), {i7_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 6 + int64_t(i7), {i7_valid});
        TCARRY(y_planes_out, y_12_in);
    }
    for (int32_t i8 = block * 4096; i8 < t; i8 += nblk * 4096) {
        const int32_t i8_valid = t - i8 < 4096 ? t - i8 : 4096;
        Y00Gm y_13_in(y_13 + int64_t(i8), {i8_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 7 + int64_t(i8), {i8_valid});
        TCARRY(y_planes_out, y_13_in);
    }
    for (int32_t i9 = block * 4096; i9 < t; i9 += nblk * 4096) {
        const int32_t i9_valid = t - i9 < 4096 ? t - i9 : 4096;
        Y00Gm y_20_in(y_20 + int64_t(i9), {i9_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 8 + int64_t(i9), {i9_valid});
        TCARRY(y_planes_out, y_20_in);
    }
    for (int32_t i10 = block * 4096; i10 < t; i10 += nblk * 4096) {
        const int32_t i10_valid = t - i10 < 4096 ? t - i10 : 4096;
        Y00Gm y_21_in(y_21 + int64_t(i10), {i10_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 9 + int64_t(i10), {i10_valid});
        TCARRY(y_planes_out, y_21_in);
    }
    for (int32_t i11 = block * 4096; i11 < t; i11 += nblk * 4096) {
        const int32_t i11_valid = t - i11 < 4096 ? t - i11 : 4096;
        Y00Gm y_22_in(y_22 + int64_t(i11), {i11_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 10 + int64_t(i11), {i11_valid});
        TCARRY(y_planes_out, y_22_in);
    }
    for (int32_t i12 = block * 4096; i12 < t; i12 += nblk * 4096) {
        const int32_t i12_valid = t - i12 < 4096 ? t - i12 : 4096;
        Y00Gm y_23_in(y_23 + int64_t(i12), {i12_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 11 + int64_t(i12), {i12_valid});
        TCARRY(y_planes_out, y_23_in);
    }
    for (int32_t i13 = block * 4096; i13 < t; i13 += nblk * 4096) {
        const int32_t i13_valid = t - i13 < 4096 ? t - i13 : 4096;
        Y00Gm y_30_in(y_30 + int64_t(i13), {i13_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 12 + int64_t(i13), {i13_valid});
        TCARRY(y_planes_out, y_30_in);
    }
    for (int32_t i14 = block * 4096; i14 < t; i14 += nblk * 4096) {
        const int32_t i14_valid = t - i14 < 4096 ? t - i14 : 4096;
        Y00Gm y_31_in(y_31 + int64_t(i14), {i14_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 13 + int64_t(i14), {i14_valid});
        TCARRY(y_planes_out, y_31_in);
    }
    for (int32_t i15 = block * 4096; i15 < t; i15 += nblk * 4096) {
        const int32_t i15_valid = t - i15 < 4096 ? t - i15 : 4096;
        Y00Gm y_32_in(y_32 + int64_t(i15), {i15_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 14 + int64_t(i15), {i15_valid});
        TCARRY(y_planes_out, y_32_in);
    }
    for (int32_t i16 = block * 4096; i16 < t; i16 += nblk * 4096) {
        const int32_t i16_valid = t - i16 < 4096 ? t - i16 : 4096;
        Y00Gm y_33_in(y_33 + int64_t(i16), {i16_valid});
        Y00Gm y_planes_out(y_planes + int64_t(t) * 15 + int64_t(i16), {i16_valid});
        TCARRY(y_planes_out, y_33_in);
    }
#endif
}
