// linear: mixed kernel of `linear_mxfp8` for cpu. Made by pyptogen; change the spec, not this file.
// stages linear; tiles n 256, t 256; memory L0A 524288 B, L0B 524288 B, L0C 262144 B, UB 1024 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftE4m3_256x2048 = TileLeft<float8_e4m3_t, 256, 2048, DYNAMIC, 2048>;
using ScaleLeftE8m0_256x64 = TileLeftScale<float8_e8m0_t, 256, 64, DYNAMIC, 64>;
using RightE4m3_2048x256 = TileRight<float8_e4m3_t, 2048, 256, 2048, 256>;
using ScaleRightE8m0_64x256 = TileRightScale<float8_e8m0_t, 64, 256, 64, 256>;
using VecF32_1x256 = Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, 256>;
using AccF32_256x256 = TileAcc<float, 256, 256, DYNAMIC, 256>;
using XQGm = GlobalTensor<float8_e4m3_t, Shape<1, 1, 1, DYNAMIC, 2048>, Stride<1, 1, 1, 2048, 1>>;
using XScaleGm = GlobalTensor<float8_e8m0_t, Shape<1, 1, DYNAMIC, 32, 2>, Stride<1, 1, 64, 2, 1>, Layout::MX_A_ND>;
using WGm = GlobalTensor<float8_e4m3_t, Shape<1, 1, 1, 2048, 256>, Stride<1, 1, 1, 1, 2048>, Layout::DN>;
using WScaleGm = GlobalTensor<float8_e8m0_t, Shape<1, 1, 256, 32, 2>, Stride<1, 1, 64, 2, 1>, Layout::MX_B_DN>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, 256>, Stride<1, 1, 1, 1, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 1024, 1>>;
}  // namespace

extern "C" __global__ AICORE void linear(
    __gm__ bfloat16_t *y,
    __gm__ float8_e4m3_t *x_q,
    __gm__ float8_e4m3_t *w,
    __gm__ float8_e8m0_t *x_scale,
    __gm__ float8_e8m0_t *w_scale,
    __gm__ float *bias,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 2048);  // y: around the cache if large
    for (int32_t t0 = t_begin + block * 256; t0 < t_end; t0 += nblk * 256) {
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        // acc: scaled_mm(x_q, w.T, x_scale, w_scale.T, dtype=fp32)
        LeftE4m3_256x2048 x_q_tile(t0_valid); TASSIGN(x_q_tile, 0x00000);  // L0A 0x00000..0x80000
        XQGm x_q_in(x_q + int64_t(t0) * 2048, {t0_valid});
        TLOAD(x_q_tile, x_q_in);
        ScaleLeftE8m0_256x64 x_scale_tile(t0_valid); TASSIGN(x_scale_tile, 0x00000);  // scales of x_q_tile
        XScaleGm x_scale_in(x_scale + int64_t(t0) * 64, {t0_valid});
        TLOAD(x_scale_tile, x_scale_in);
        for (int32_t n0 = 0; n0 < 1024; n0 += 256) {
            RightE4m3_2048x256 w_tile; TASSIGN(w_tile, 0x00000);  // L0B 0x00000..0x80000
            WGm w_in(w + int64_t(n0) * 2048);
            TLOAD(w_tile, w_in);
            ScaleRightE8m0_64x256 w_scale_tile; TASSIGN(w_scale_tile, 0x00000);  // scales of w_tile
            WScaleGm w_scale_in(w_scale + int64_t(n0) * 64);
            TLOAD(w_scale_tile, w_scale_in);
            // y:   cast(acc + bias, bf16)
            VecF32_1x256 bias_tile; TASSIGN(bias_tile, 0x00000);  // UB 0x00000..0x00400
            BiasGm bias_in(bias + int64_t(n0));
            TLOAD(bias_tile, bias_in);
            // acc: scaled_mm(x_q, w.T, x_scale, w_scale.T, dtype=fp32)
            AccF32_256x256 acc_acc(t0_valid); TASSIGN(acc_acc, 0x00000);  // L0C 0x00000..0x40000
            TMATMUL_MX(acc_acc, x_q_tile, x_scale_tile, w_tile, w_scale_tile);
            YGm y_out(y + int64_t(t0) * 1024 + int64_t(n0), {t0_valid});
            TPASS(t0_valid, 256, [&](auto at) {
                // y:   cast(acc + bias, bf16)
                const auto acc = at.extract(acc_acc, 0);
                const auto y_1 = acc + at.row(bias_tile);
                at.store(y_out, y_1, far);
            });
        }
    }
}
