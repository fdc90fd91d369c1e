// index_key_linear_to_index_weights: mixed kernel of `mla_indexer_prolog` for cpu. Made by pyptogen; change the spec, not this file.
// stages index_key_linear, index_key_rope, index_key_quant, index_weights; tiles h 512, t 256 / 32; memory L0A 262144 B, L0B 163840 B, L0C 155648 B, UB 25856 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using RightB16_128x128 = TileRight<bfloat16_t, 128, 128, 128, 128>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using AccF32_256x128 = TileAcc<float, 256, 128, DYNAMIC, 128>;
using LeftB16_256x512 = TileLeft<bfloat16_t, 256, 512, DYNAMIC, 512>;
using RightB16_512x128 = TileRight<bfloat16_t, 512, 128, 512, 128>;
using VecF32_32x1 = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecB16_32x128 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_32x64 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecB16_32x128_c64 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_32x64_c32 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 32>;
using LeftB16_32x128 = TileLeft<bfloat16_t, 32, 128, DYNAMIC, 128>;
using AccF32_32x128 = TileAcc<float, 32, 128, DYNAMIC, 128>;
using VecF16_1x32 = Tile<TileType::Vec, half, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecI8_32x128 = Tile<TileType::Vec, int8_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecI8_1x128 = Tile<TileType::Vec, int8_t, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF16_32x16 = Tile<TileType::Vec, half, 32, 16, BLayout::RowMajor, DYNAMIC, 16>;
using VecF16_32x1 = Tile<TileType::Vec, half, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF16_1x16_c1 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 1>;
using AccF32_32x64 = TileAcc<float, 32, 64, DYNAMIC, 64>;
using LeftB16_32x512 = TileLeft<bfloat16_t, 32, 512, DYNAMIC, 512>;
using RightB16_512x64 = TileRight<bfloat16_t, 512, 64, 512, 64>;
using HadamardGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;
using IkGammaGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>>;
using XNGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 7168, 1>>;
using WIkGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 512, 128>, Stride<1, 1, 1, 229376, 1>, Layout::CPU_PACKED>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 32>, Stride<1, 1, 1, 64, 1>>;
using IkCacheGm = GlobalTensor<int8_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 128, 1>>;
using IkScaleGm = GlobalTensor<half, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;
using WIwGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 512, 64>, Stride<1, 1, 1, 229376, 1>, Layout::CPU_PACKED>;
using WeightsGm = GlobalTensor<half, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 64, 1>>;
}  // namespace

extern "C" __global__ AICORE void index_key_linear_to_index_weights(
    __gm__ int8_t *ik_cache,
    __gm__ half *ik_scale,
    __gm__ half *weights,
    __gm__ bfloat16_t *x_n,
    __gm__ bfloat16_t *w_ik,
    __gm__ bfloat16_t *ik_gamma,
    __gm__ bfloat16_t *ik_beta,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    __gm__ bfloat16_t *hadamard,
    __gm__ int64_t *slot,
    __gm__ bfloat16_t *w_iw,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 128);  // weights: around the cache if large
    // ik_h: matmul(ik_r, hadamard, dtype=bf16)
    RightB16_128x128 hadamard_tile; TASSIGN(hadamard_tile, 0x00000);  // L0B 0x00000..0x08000
    HadamardGm hadamard_in(hadamard);
    TLOAD(hadamard_tile, hadamard_in);
    VecF32_1x128 ik_b_gamma; TASSIGN(ik_b_gamma, 0x00200);  // UB 0x00200..0x00400
    VecF32_1x128 ik_b_beta; TASSIGN(ik_b_beta, 0x00000);  // UB 0x00000..0x00200
    IkGammaGm ik_gamma_in(ik_gamma);
    IkGammaGm ik_beta_in(ik_beta);
    TPASS(1, 128, [&](auto at) {
        // ik_b: cast(layer_norm(ik_f, ik_gamma, ik_beta, eps=eps), bf16)
        const auto ik_gamma_tile = at.load(ik_gamma_in);
        at.store(ik_b_gamma, ik_gamma_tile);
        const auto ik_beta_tile = at.load(ik_beta_in);
        at.store(ik_b_beta, ik_beta_tile);
    });
    for (int32_t t0 = t_begin + block * 256; t0 < t_end; t0 += nblk * 256) {
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        AccF32_256x128 ik_f_acc(t0_valid); TASSIGN(ik_f_acc, 0x00000);  // L0C 0x00000..0x20000
        for (int32_t h0 = 0; h0 < 7168; h0 += 512) {
            // ik_f: matmul(x_n, w_ik, dtype=fp32)
            LeftB16_256x512 x_n_tile(t0_valid); TASSIGN(x_n_tile, 0x00000);  // L0A 0x00000..0x40000
            XNGm x_n_in(x_n + int64_t(t0) * 7168 + int64_t(h0), {t0_valid});
            TLOAD(x_n_tile, x_n_in);
            RightB16_512x128 w_ik_tile; TASSIGN(w_ik_tile, 0x08000);  // L0B 0x08000..0x28000
            WIkGm w_ik_in(w_ik + int64_t(h0) * 32);
            TLOAD(w_ik_tile, w_ik_in);
            if (h0 == 0) {
                TMATMUL(ik_f_acc, x_n_tile, w_ik_tile);
            } else {
                TMATMUL_ACC(ik_f_acc, ik_f_acc, x_n_tile, w_ik_tile);
            }
        }
        for (int32_t t1 = t0; t1 < t0 + t0_valid; t1 += 32) {
            const int32_t t1_valid = t0 + t0_valid - t1 < 32 ? t0 + t0_valid - t1 : 32;
            VecF32_32x1 ik_b_mean(t1_valid); TASSIGN(ik_b_mean, 0x00400);  // UB 0x00400..0x00480
            TPASS(t1_valid, 128, [&](auto at, auto &ik_b_mean_sum) {
                // ik_b: cast(layer_norm(ik_f, ik_gamma, ik_beta, eps=eps), bf16)
                const auto ik_f = at.extract(ik_f_acc, t1 - t0);
                const auto ik_b_part = ik_f * 0.0078125f;
                ik_b_mean_sum.take(at, ik_b_part);
            }, RowSum(ik_b_mean));
            VecF32_32x128 ik_b_c(t1_valid); TASSIGN(ik_b_c, 0x00480);  // UB 0x00480..0x04480
            VecF32_32x1 ik_b_var(t1_valid); TASSIGN(ik_b_var, 0x04480);  // UB 0x04480..0x04500
            TPASS(t1_valid, 128, [&](auto at, auto &ik_b_var_sum) {
                const auto ik_f = at.extract(ik_f_acc, t1 - t0);
                const auto ik_b_c_v = ik_f - at.column(ik_b_mean);
                at.store(ik_b_c, ik_b_c_v);
                const auto ik_b_square = ik_b_c_v * ik_b_c_v;
                const auto ik_b_var_part = ik_b_square * 0.0078125f;
                ik_b_var_sum.take(at, ik_b_var_part);
            }, RowSum(ik_b_var));
            VecF32_1x32 ik_b_var_eps_row(t1_valid); TASSIGN(ik_b_var_eps_row, 0x00400);  // as a row, same bytes as ik_b_var_eps
            VecF32_1x32 ik_b_var_row(t1_valid); TASSIGN(ik_b_var_row, 0x04480);  // as a row, same bytes as ik_b_var
            TADDS(ik_b_var_eps_row, ik_b_var_row, eps);
            VecF32_1x32 ik_b_std_row(t1_valid); TASSIGN(ik_b_std_row, 0x04480);  // as a row, same bytes as ik_b_std
            TSQRT(ik_b_std_row, ik_b_var_eps_row);
            VecF32_32x1 ik_b_std(t1_valid); TASSIGN(ik_b_std, 0x04480);  // UB 0x04480..0x04500
            VecB16_32x128 ik_b(t1_valid); TASSIGN(ik_b, 0x04500);  // UB 0x04500..0x06500
            TPASS(t1_valid, 128, [&](auto at, auto &ik_b_std_divisor) {
                const auto ik_b_c_v = at.load(ik_b_c);
                const auto ik_b_unit = ik_b_c_v / ik_b_std_divisor;
                const auto ik_b_scaled = ik_b_unit * at.row(ik_b_gamma);
                const auto ik_b_1 = ik_b_scaled + at.row(ik_b_beta);
                at.store(ik_b, ik_b_1);
            }, Divisor(ik_b_std));
            // ik_r: concat(rope(ik_b[:, :r], cos, sin), ik_b[:, r:], axis=-1)
            VecF32_32x64 ik_r_x(t1_valid); TASSIGN(ik_r_x, 0x00400);  // UB 0x00400..0x02400
            VecB16_32x128_c64 ik_r_1(t1_valid); TASSIGN(ik_r_1, 0x04500);  // columns 0.. of ik_b
            TCVT(ik_r_x, ik_r_1, RoundMode::CAST_RINT);
            VecF32_32x64_c32 ik_r_x1(t1_valid); TASSIGN(ik_r_x1, 0x00400);  // columns 0.. of ik_r_x
            VecF32_32x64_c32 ik_r_x2(t1_valid); TASSIGN(ik_r_x2, 0x00480);  // columns 32.. of ik_r_x
            VecF32_32x64_c32 ik_r_low(t1_valid); TASSIGN(ik_r_low, 0x02400);  // columns 0.. of ik_r_roped
            VecF32_32x64_c32 ik_r_high(t1_valid); TASSIGN(ik_r_high, 0x02480);  // columns 32.. of ik_r_roped
            CosGm cos_in(cos + int64_t(t1) * 64, {t1_valid});
            CosGm cos_in_2(cos + int64_t(t1) * 64 + 32, {t1_valid});
            CosGm sin_in(sin + int64_t(t1) * 64, {t1_valid});
            CosGm sin_in_2(sin + int64_t(t1) * 64 + 32, {t1_valid});
            TPASS(t1_valid, 32, [&](auto at) {
                const auto cos_tile_1 = at.load(cos_in);
                const auto cos_tile_2 = at.load(cos_in_2);
                const auto sin_tile_1 = at.load(sin_in);
                const auto sin_tile_2 = at.load(sin_in_2);
                const auto ik_r_x1_v = at.load(ik_r_x1);
                const auto ik_r_x1c1 = ik_r_x1_v * cos_tile_1;
                const auto ik_r_x2_v = at.load(ik_r_x2);
                const auto ik_r_x2s1 = ik_r_x2_v * sin_tile_1;
                const auto ik_r_low_v = ik_r_x1c1 - ik_r_x2s1;
                at.store(ik_r_low, ik_r_low_v);
                const auto ik_r_x2c2 = ik_r_x2_v * cos_tile_2;
                const auto ik_r_x1s2 = ik_r_x1_v * sin_tile_2;
                const auto ik_r_high_v = ik_r_x2c2 + ik_r_x1s2;
                at.store(ik_r_high, ik_r_high_v);
            });
            VecB16_32x128_c64 ik_r_rope(t1_valid); TASSIGN(ik_r_rope, 0x04500);  // columns 0.. of ik_b
            VecF32_32x64 ik_r_roped(t1_valid); TASSIGN(ik_r_roped, 0x02400);  // UB 0x02400..0x04400
            TCVT(ik_r_rope, ik_r_roped, RoundMode::CAST_RINT);
            // ik_h: matmul(ik_r, hadamard, dtype=bf16)
            LeftB16_32x128 ik_b_l0a(t1_valid); TASSIGN(ik_b_l0a, 0x00000);  // L0A 0x00000..0x02000
            TMOV(ik_b_l0a, ik_b);
            AccF32_32x128 ik_h_acc(t1_valid); TASSIGN(ik_h_acc, 0x22000);  // L0C 0x22000..0x26000
            TMATMUL(ik_h_acc, ik_b_l0a, hadamard_tile);
            // f: cast(v, fp32)
            VecB16_32x128 ik_h(t1_valid); TASSIGN(ik_h, 0x00400);  // UB 0x00400..0x02400
            TEXTRACT(ik_h, ik_h_acc, 0, 0);
            VecF32_32x128 ik_f_2(t1_valid); TASSIGN(ik_f_2, 0x02400);  // UB 0x02400..0x06400
            VecF32_32x1 ik_s_2(t1_valid); TASSIGN(ik_s_2, 0x06400);  // UB 0x06400..0x06480
            TPASS(t1_valid, 128, [&](auto at, auto &ik_s_2_max) {
                const auto ik_h_v = at.load(ik_h);
                at.store(ik_f_2, ik_h_v);
                // s: 127 / maximum(amax(abs(f), axis=-1, keepdim=true), 1.0e-35)
                const auto ik_s_1 = at.abs(ik_h_v);
                ik_s_2_max.take(at, ik_s_1);
            }, RowMax(ik_s_2));
            VecF32_1x32 ik_s_3_row(t1_valid); TASSIGN(ik_s_3_row, 0x00400);  // as a row, same bytes as ik_s_3
            VecF32_1x32 ik_s_2_row(t1_valid); TASSIGN(ik_s_2_row, 0x06400);  // as a row, same bytes as ik_s_2
            TMAXS(ik_s_3_row, ik_s_2_row, 1e-35f);
            VecF32_1x32 ik_s_4_row(t1_valid); TASSIGN(ik_s_4_row, 0x00480);  // as a row, same bytes as ik_s_4
            TDIVS(ik_s_4_row, 127.0f, ik_s_3_row);
            // return: [cast(f * s, int8, mode=rint), cast(1 / s, fp16)]
            VecF32_1x32 ik_s_5_row(t1_valid); TASSIGN(ik_s_5_row, 0x00400);  // as a row, same bytes as ik_s_5
            TDIVS(ik_s_5_row, 1.0f, ik_s_4_row);
            VecF16_1x32 ik_s_row(t1_valid); TASSIGN(ik_s_row, 0x00500);  // as a row, same bytes as ik_s
            TCVT(ik_s_row, ik_s_5_row, RoundMode::CAST_RINT);
            VecF32_32x1 ik_s_4(t1_valid); TASSIGN(ik_s_4, 0x00480);  // UB 0x00480..0x00500
            VecI8_32x128 ik(t1_valid); TASSIGN(ik, 0x00540);  // UB 0x00540..0x01540
            TPASS(t1_valid, 128, [&](auto at) {
                const auto ik_f_2_v = at.load(ik_f_2);
                const auto ik_1 = ik_f_2_v * at.column(ik_s_4);
                at.store(ik, ik_1);
            });
            // rows of ik to the slots in slot
            for (int32_t row = 0; row < t1_valid; ++row) {
                const int64_t slot_i = slot[int64_t(row) + int64_t(t1)];
                if (slot_i < 0) {  // this row is not kept
                    continue;
                }
                // ik_cache: scatter_update(ik_cache, slot, ik, dim=0)
                VecI8_1x128 ik_one; TASSIGN(ik_one, 0x00540 + row * 0x00080);  // row of ik
                IkCacheGm ik_cache_out(ik_cache + int64_t(slot_i) * 128);
                TSTORE(ik_cache_out, ik_one);
            }
            // ik_scale: scatter_update(ik_scale, slot, ik_s, dim=0)
            VecF16_32x16 ik_s_wide(t1_valid); TASSIGN(ik_s_wide, 0x00540);  // UB 0x00540..0x00940
            VecF16_32x1 ik_s(t1_valid); TASSIGN(ik_s, 0x00500);  // UB 0x00500..0x00540
            TROWEXPAND(ik_s_wide, ik_s);
            // rows of ik_s_wide to the slots in slot
            for (int32_t row = 0; row < t1_valid; ++row) {
                const int64_t slot_i = slot[int64_t(row) + int64_t(t1)];
                if (slot_i < 0) {  // this row is not kept
                    continue;
                }
                VecF16_1x16_c1 ik_s_wide_one; TASSIGN(ik_s_wide_one, 0x00540 + row * 0x00020);  // row of ik_s_wide
                IkScaleGm ik_scale_out(ik_scale + int64_t(slot_i));
                TSTORE(ik_scale_out, ik_s_wide_one);
            }
            AccF32_32x64 weights_1_acc(t1_valid); TASSIGN(weights_1_acc, 0x20000);  // L0C 0x20000..0x22000
            for (int32_t h0 = 0; h0 < 7168; h0 += 512) {
                // weights: cast(matmul(x_n, w_iw, dtype=fp32) * (index_heads ** -0.5 * d ** -0.5), fp16)
                LeftB16_32x512 x_n_tile_2(t1_valid); TASSIGN(x_n_tile_2, 0x00000);  // L0A 0x00000..0x08000
                XNGm x_n_in(x_n + int64_t(t1) * 7168 + int64_t(h0), {t1_valid});
                TLOAD(x_n_tile_2, x_n_in);
                RightB16_512x64 w_iw_tile; TASSIGN(w_iw_tile, 0x08000);  // L0B 0x08000..0x18000
                WIwGm w_iw_in(w_iw + int64_t(h0) * 32);
                TLOAD(w_iw_tile, w_iw_in);
                if (h0 == 0) {
                    TMATMUL(weights_1_acc, x_n_tile_2, w_iw_tile);
                } else {
                    TMATMUL_ACC(weights_1_acc, weights_1_acc, x_n_tile_2, w_iw_tile);
                }
            }
            WeightsGm weights_out(weights + int64_t(t1) * 64, {t1_valid});
            TPASS(t1_valid, 64, [&](auto at) {
                const auto weights_1 = at.extract(weights_1_acc, 0);
                const auto weights_2 = weights_1 * 0.011048543f;
                at.store(weights_out, weights_2, far);
            });
        }
    }
}
