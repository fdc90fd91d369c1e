// product_to_activation: mixed kernel of `linear_gelu` for cpu. Made by pyptogen; change the spec, not this file.
// stages product, activation; tiles n 128, t 256 / 32; memory L0A 524288 B, L0B 262144 B, L0C 131072 B, UB 512 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftB16_256x1024 = TileLeft<bfloat16_t, 256, 1024, DYNAMIC, 1024>;
using RightB16_1024x128 = TileRight<bfloat16_t, 1024, 128, 1024, 128>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using AccF32_256x128 = TileAcc<float, 256, 128, DYNAMIC, 128>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 1024, 1>>;
using WGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1024, 128>, Stride<1, 1, 1, 32768, 1>, Layout::CPU_PACKED>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 2048, 1>>;
}  // namespace

extern "C" __global__ AICORE void product_to_activation(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *w,
    __gm__ float *bias,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 4096);  // y: around the cache if large
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 256) {
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        // p: matmul(x, w, dtype=fp32)
        LeftB16_256x1024 x_tile(t0_valid); TASSIGN(x_tile, 0x00000);  // L0A 0x00000..0x80000
        XGm x_in(x + int64_t(t0) * 1024, {t0_valid});
        TLOAD(x_tile, x_in);
        for (int32_t n0 = block * 128; n0 < 2048; n0 += nblk * 128) {
            RightB16_1024x128 w_tile; TASSIGN(w_tile, 0x00000);  // L0B 0x00000..0x40000
            WGm w_in(w + int64_t(n0) * 1024);
            TLOAD(w_tile, w_in);
            // y: cast(gelu(p + bias), bf16)
            VecF32_1x128 bias_tile; TASSIGN(bias_tile, 0x00000);  // UB 0x00000..0x00200
            BiasGm bias_in(bias + int64_t(n0));
            TLOAD(bias_tile, bias_in);
            // p: matmul(x, w, dtype=fp32)
            AccF32_256x128 p_acc(t0_valid); TASSIGN(p_acc, 0x00000);  // L0C 0x00000..0x20000
            TMATMUL(p_acc, x_tile, w_tile);
            for (int32_t t1 = t0; t1 < t0 + t0_valid; t1 += 32) {
                const int32_t t1_valid = t0 + t0_valid - t1 < 32 ? t0 + t0_valid - t1 : 32;
                YGm y_out(y + int64_t(t1) * 2048 + int64_t(n0), {t1_valid});
                TPASS<4>(t1_valid, 128, [&](auto at) {
                    // y: cast(gelu(p + bias), bf16)
                    const auto p = at.extract(p_acc, t1 - t0);
                    const auto y_1 = p + at.row(bias_tile);
                    const auto y_half = y_1 * 0.5f;
                    const auto y_angle = y_1 * 0.70710677f;
                    const auto y_inner = at.max(y_angle, -4.0f);
                    const auto y_inner_2 = at.min(y_inner, 4.0f);
                    const auto y_square = y_inner_2 * y_inner_2;
                    const auto y_p = y_square * 1.9867327e-06f;
                    const auto y_p_2 = y_p + 0.00028456512f;
                    const auto y_p_3 = y_p_2 * y_square;
                    const auto y_p_4 = y_p_3 + 0.003883423f;
                    const auto y_p_5 = y_p_4 * y_square;
                    const auto y_p_6 = y_p_5 + 0.053101983f;
                    const auto y_p_7 = y_p_6 * y_square;
                    const auto y_p_8 = y_p_7 + 0.19354726f;
                    const auto y_p_9 = y_p_8 * y_square;
                    const auto y_p_10 = y_p_9 + 1.1283791f;
                    const auto y_above = y_inner_2 * y_p_10;
                    const auto y_q = y_square * 3.7419617e-05f;
                    const auto y_q_2 = y_q + 0.0011855855f;
                    const auto y_q_3 = y_q_2 * y_square;
                    const auto y_q_4 = y_q_3 + 0.015207412f;
                    const auto y_q_5 = y_q_4 * y_square;
                    const auto y_q_6 = y_q_5 + 0.115350865f;
                    const auto y_q_7 = y_q_6 * y_square;
                    const auto y_q_8 = y_q_7 + 0.5048593f;
                    const auto y_q_9 = y_q_8 * y_square;
                    const auto y_q_10 = y_q_9 + 1.0f;
                    const auto y_ratio = y_above / y_q_10;
                    const auto y_erf = at.max(y_ratio, -1.0f);
                    const auto y_erf_2 = at.min(y_erf, 1.0f);
                    const auto y_2 = y_erf_2 + 1.0f;
                    const auto y_3 = y_half * y_2;
                    at.store(y_out, y_3, far);
                });
            }
        }
    }
}
