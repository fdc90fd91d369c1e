// query: mixed kernel of `glm_attention_pre` for cpu. Made by pyptogen; change the spec, not this file.
// stages query_linear, query_rope; tiles heads 1, t 256 / 32; memory L0A 1310720 B, L0B 655360 B, L0C 131072 B, UB 26368 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using LeftI8_256x5120 = TileLeft<int8_t, 256, 5120, DYNAMIC, 5120>;
using RightI8_5120x128 = TileRight<int8_t, 5120, 128, 5120, 128>;
using AccI32_256x128 = TileAcc<int32_t, 256, 128, DYNAMIC, 128>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_32x1 = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecB16_32x128 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_32x64 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecB16_32x128_c64 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_32x64_c32 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 32>;
using QGammaGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>>;
using NQGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 5120>, Stride<1, 1, 1, 5120, 1>>;
using WQGm = GlobalTensor<int8_t, Shape<1, 1, 1, 5120, 128>, Stride<1, 1, 1, 163840, 1>, Layout::CPU_PACKED>;
using QScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>>;
using NScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 32>, Stride<1, 1, 1, 64, 1>>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 1536, 1>>;
}  // namespace

extern "C" __global__ AICORE void query(
    __gm__ bfloat16_t *q,
    __gm__ int8_t *n_q,
    __gm__ int8_t *w_q,
    __gm__ bfloat16_t *q_gamma,
    __gm__ float *n_scale,
    __gm__ float *q_scale,
    __gm__ float *q_bias,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    VecF32_1x128 q_n_1; TASSIGN(q_n_1, 0x00000);  // UB 0x00000..0x00200
    QGammaGm q_gamma_in(q_gamma);
    TPASS(1, 128, [&](auto at) {
        // q_n: cast(rms_norm(q_f, cast(q_gamma, fp32), eps=eps), bf16)
        const auto q_gamma_tile = at.load(q_gamma_in);
        at.store(q_n_1, q_gamma_tile);
    });
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 256) {
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        // q_i: matmul(n_q, w_q, dtype=int32)
        LeftI8_256x5120 n_q_tile(t0_valid); TASSIGN(n_q_tile, 0x00000);  // L0A 0x00000..0x140000
        NQGm n_q_in(n_q + int64_t(t0) * 5120, {t0_valid});
        TLOAD(n_q_tile, n_q_in);
        for (int32_t heads0 = block; heads0 < 12; heads0 += nblk) {
            RightI8_5120x128 w_q_tile; TASSIGN(w_q_tile, 0x00000);  // L0B 0x00000..0xa0000
            WQGm w_q_in(w_q + int64_t(heads0) * 655360);
            TLOAD(w_q_tile, w_q_in);
            // q_f: reshape(cast(q_i, fp32) * n_scale * q_scale + q_bias, [t, heads, d])
            VecF32_1x128 q_scale_tile; TASSIGN(q_scale_tile, 0x00200);  // UB 0x00200..0x00400
            QScaleGm q_scale_in(q_scale + int64_t(heads0) * 128);
            TLOAD(q_scale_tile, q_scale_in);
            VecF32_1x128 q_bias_tile; TASSIGN(q_bias_tile, 0x00400);  // UB 0x00400..0x00600
            QScaleGm q_bias_in(q_bias + int64_t(heads0) * 128);
            TLOAD(q_bias_tile, q_bias_in);
            // q_i: matmul(n_q, w_q, dtype=int32)
            AccI32_256x128 q_i_acc(t0_valid); TASSIGN(q_i_acc, 0x00000);  // L0C 0x00000..0x20000
            TMATMUL(q_i_acc, n_q_tile, w_q_tile);
            for (int32_t t1 = t0; t1 < t0 + t0_valid; t1 += 32) {
                const int32_t t1_valid = t0 + t0_valid - t1 < 32 ? t0 + t0_valid - t1 : 32;
                // q_f: reshape(cast(q_i, fp32) * n_scale * q_scale + q_bias, [t, heads, d])
                VecF32_1x32 n_scale_tile_row(t1_valid); TASSIGN(n_scale_tile_row, 0x00600);  // as a row, same bytes as n_scale_tile
                NScaleGm n_scale_in(n_scale + int64_t(t1), {t1_valid});
                TLOAD(n_scale_tile_row, n_scale_in);
                VecF32_32x1 n_scale_tile(t1_valid); TASSIGN(n_scale_tile, 0x00600);  // UB 0x00600..0x00680
                VecF32_32x128 q_f_4(t1_valid); TASSIGN(q_f_4, 0x00680);  // UB 0x00680..0x04680
                VecF32_32x1 q_n_var(t1_valid); TASSIGN(q_n_var, 0x04680);  // UB 0x04680..0x04700
                TPASS(t1_valid, 128, [&](auto at, auto &q_n_var_sum) {
                    const auto q_i = at.extract(q_i_acc, t1 - t0);
                    const auto q_f_1 = at.to_float(q_i);
                    const auto q_f_2 = q_f_1 * at.column(n_scale_tile);
                    const auto q_f_3 = q_f_2 * at.row(q_scale_tile);
                    const auto q_f_4_v = q_f_3 + at.row(q_bias_tile);
                    at.store(q_f_4, q_f_4_v);
                    // q_n: cast(rms_norm(q_f, cast(q_gamma, fp32), eps=eps), bf16)
                    const auto q_n_square = q_f_4_v * q_f_4_v;
                    const auto q_n_var_part = q_n_square * 0.0078125f;
                    q_n_var_sum.take(at, q_n_var_part);
                }, RowSum(q_n_var));
                VecF32_1x32 q_n_var_eps_row(t1_valid); TASSIGN(q_n_var_eps_row, 0x00600);  // as a row, same bytes as q_n_var_eps
                VecF32_1x32 q_n_var_row(t1_valid); TASSIGN(q_n_var_row, 0x04680);  // as a row, same bytes as q_n_var
                TADDS(q_n_var_eps_row, q_n_var_row, eps);
                VecF32_1x32 q_n_std_row(t1_valid); TASSIGN(q_n_std_row, 0x04680);  // as a row, same bytes as q_n_std
                TSQRT(q_n_std_row, q_n_var_eps_row);
                VecF32_32x1 q_n_std(t1_valid); TASSIGN(q_n_std, 0x04680);  // UB 0x04680..0x04700
                VecB16_32x128 q_n(t1_valid); TASSIGN(q_n, 0x04700);  // UB 0x04700..0x06700
                TPASS(t1_valid, 128, [&](auto at, auto &q_n_std_divisor) {
                    const auto q_f_4_v = at.load(q_f_4);
                    const auto q_n_unit = q_f_4_v / q_n_std_divisor;
                    const auto q_n_3 = q_n_unit * at.row(q_n_1);
                    at.store(q_n, q_n_3);
                }, Divisor(q_n_std));
                // q:   concat(rope(q_n[:, :, :r], cos[:, None, :], sin[:, None, :]), q_n[:, :, r:], axis=-1)
                VecF32_32x64 q_x(t1_valid); TASSIGN(q_x, 0x00600);  // UB 0x00600..0x02600
                VecB16_32x128_c64 q_1(t1_valid); TASSIGN(q_1, 0x04700);  // columns 0.. of q_n
                TCVT(q_x, q_1, RoundMode::CAST_RINT);
                VecF32_32x64_c32 q_x1(t1_valid); TASSIGN(q_x1, 0x00600);  // columns 0.. of q_x
                VecF32_32x64_c32 q_x2(t1_valid); TASSIGN(q_x2, 0x00680);  // columns 32.. of q_x
                VecF32_32x64_c32 q_low(t1_valid); TASSIGN(q_low, 0x02600);  // columns 0.. of q_roped
                VecF32_32x64_c32 q_high(t1_valid); TASSIGN(q_high, 0x02680);  // columns 32.. of q_roped
                CosGm cos_in(cos + int64_t(t1) * 64, {t1_valid});
                CosGm cos_in_2(cos + int64_t(t1) * 64 + 32, {t1_valid});
                CosGm sin_in(sin + int64_t(t1) * 64, {t1_valid});
                CosGm sin_in_2(sin + int64_t(t1) * 64 + 32, {t1_valid});
                TPASS(t1_valid, 32, [&](auto at) {
                    const auto cos_tile_1 = at.load(cos_in);
                    const auto cos_tile_2 = at.load(cos_in_2);
                    const auto sin_tile_1 = at.load(sin_in);
                    const auto sin_tile_2 = at.load(sin_in_2);
                    const auto q_x1_v = at.load(q_x1);
                    const auto q_x1c1 = q_x1_v * cos_tile_1;
                    const auto q_x2_v = at.load(q_x2);
                    const auto q_x2s1 = q_x2_v * sin_tile_1;
                    const auto q_low_v = q_x1c1 - q_x2s1;
                    at.store(q_low, q_low_v);
                    const auto q_x2c2 = q_x2_v * cos_tile_2;
                    const auto q_x1s2 = q_x1_v * sin_tile_2;
                    const auto q_high_v = q_x2c2 + q_x1s2;
                    at.store(q_high, q_high_v);
                });
                VecB16_32x128_c64 q_rope(t1_valid); TASSIGN(q_rope, 0x04700);  // columns 0.. of q_n
                VecF32_32x64 q_roped(t1_valid); TASSIGN(q_roped, 0x02600);  // UB 0x02600..0x04600
                TCVT(q_rope, q_roped, RoundMode::CAST_RINT);
                QGm q_out(q + int64_t(t1) * 1536 + int64_t(heads0) * 128, {t1_valid});
                TSTORE(q_out, q_n);
            }
        }
    }
}
