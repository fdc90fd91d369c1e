// key_linear_to_key_quant: mixed kernel of `indexer_prolog` for cpu. Made by pyptogen; change the spec, not this file.
// stages key_linear, head_weights, key_rope, key_quant; tiles h 512, t 256 / 32; memory L0A 262144 B, L0B 163840 B, L0C 212992 B, UB 33792 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using RightB16_128x128 = TileRight<bfloat16_t, 128, 128, 128, 128>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using AccF32_256x128 = TileAcc<float, 256, 128, DYNAMIC, 128>;
using AccF32_256x64 = TileAcc<float, 256, 64, DYNAMIC, 64>;
using LeftB16_256x512 = TileLeft<bfloat16_t, 256, 512, DYNAMIC, 512>;
using RightB16_512x128 = TileRight<bfloat16_t, 512, 128, 512, 128>;
using RightB16_512x64 = TileRight<bfloat16_t, 512, 64, 512, 64>;
using VecB16_256x64 = Tile<TileType::Vec, bfloat16_t, 256, 64, BLayout::RowMajor, DYNAMIC, 64>;
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
using HadamardKGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;
using LnGammaGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 7168, 1>>;
using WKGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 512, 128>, Stride<1, 1, 1, 229376, 1>, Layout::CPU_PACKED>;
using WProjGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 512, 64>, Stride<1, 1, 1, 229376, 1>, Layout::CPU_PACKED>;
using WeightsGm = GlobalTensor<half, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 64, 1>>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 32>, Stride<1, 1, 1, 64, 1>>;
using KCacheGm = GlobalTensor<int8_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 128, 1>>;
using KScaleCacheGm = GlobalTensor<half, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void key_linear_to_key_quant(
    __gm__ half *weights,
    __gm__ int8_t *k_cache,
    __gm__ half *k_scale_cache,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *w_k,
    __gm__ bfloat16_t *ln_gamma,
    __gm__ bfloat16_t *ln_beta,
    __gm__ bfloat16_t *w_proj,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    __gm__ bfloat16_t *hadamard_k,
    __gm__ int64_t *k_index,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 128);  // weights: around the cache if large
    // k_h: matmul(k_cat, hadamard_k, dtype=bf16)
    RightB16_128x128 hadamard_k_tile; TASSIGN(hadamard_k_tile, 0x00000);  // L0B 0x00000..0x08000
    HadamardKGm hadamard_k_in(hadamard_k);
    TLOAD(hadamard_k_tile, hadamard_k_in);
    VecF32_1x128 k_b_gamma; TASSIGN(k_b_gamma, 0x00200);  // UB 0x00200..0x00400
    VecF32_1x128 k_b_beta; TASSIGN(k_b_beta, 0x00000);  // UB 0x00000..0x00200
    LnGammaGm ln_gamma_in(ln_gamma);
    LnGammaGm ln_beta_in(ln_beta);
    TPASS(1, 128, [&](auto at) {
        // k_b:   cast(layer_norm(k_f32, ln_gamma, ln_beta, eps=eps), bf16)
        const auto ln_gamma_tile = at.load(ln_gamma_in);
        at.store(k_b_gamma, ln_gamma_tile);
        const auto ln_beta_tile = at.load(ln_beta_in);
        at.store(k_b_beta, ln_beta_tile);
    });
    for (int32_t t0 = t_begin + block * 256; t0 < t_end; t0 += nblk * 256) {
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        AccF32_256x128 k_f32_acc(t0_valid); TASSIGN(k_f32_acc, 0x00000);  // L0C 0x00000..0x20000
        AccF32_256x64 w_b_acc(t0_valid); TASSIGN(w_b_acc, 0x20000);  // L0C 0x20000..0x30000
        for (int32_t h0 = 0; h0 < 7168; h0 += 512) {
            // k_f32: matmul(x, w_k, dtype=fp32)
            LeftB16_256x512 x_tile(t0_valid); TASSIGN(x_tile, 0x00000);  // L0A 0x00000..0x40000
            XGm x_in(x + int64_t(t0) * 7168 + int64_t(h0), {t0_valid});
            TLOAD(x_tile, x_in);
            RightB16_512x128 w_k_tile; TASSIGN(w_k_tile, 0x08000);  // L0B 0x08000..0x28000
            WKGm w_k_in(w_k + int64_t(h0) * 32);
            TLOAD(w_k_tile, w_k_in);
            if (h0 == 0) {
                TMATMUL(k_f32_acc, x_tile, w_k_tile);
            } else {
                TMATMUL_ACC(k_f32_acc, k_f32_acc, x_tile, w_k_tile);
            }
            // w_b:     matmul(x, w_proj, dtype=bf16)
            RightB16_512x64 w_proj_tile; TASSIGN(w_proj_tile, 0x08000);  // L0B 0x08000..0x18000
            WProjGm w_proj_in(w_proj + int64_t(h0) * 32);
            TLOAD(w_proj_tile, w_proj_in);
            if (h0 == 0) {
                TMATMUL(w_b_acc, x_tile, w_proj_tile);
            } else {
                TMATMUL_ACC(w_b_acc, w_b_acc, x_tile, w_proj_tile);
            }
        }
        // weights: cast(cast(w_b, fp32) * (heads ** -0.5 * d ** -0.5), fp16)
        VecB16_256x64 w_b(t0_valid); TASSIGN(w_b, 0x00400);  // UB 0x00400..0x08400
        TEXTRACT(w_b, w_b_acc, 0, 0);
        WeightsGm weights_out(weights + int64_t(t0) * 64, {t0_valid});
        TPASS(t0_valid, 64, [&](auto at) {
            const auto w_b_v = at.load(w_b);
            const auto weights_2 = w_b_v * 0.011048543f;
            at.store(weights_out, weights_2, far);
        });
        for (int32_t t1 = t0; t1 < t0 + t0_valid; t1 += 32) {
            const int32_t t1_valid = t0 + t0_valid - t1 < 32 ? t0 + t0_valid - t1 : 32;
            VecF32_32x1 k_b_mean(t1_valid); TASSIGN(k_b_mean, 0x00400);  // UB 0x00400..0x00480
            TPASS(t1_valid, 128, [&](auto at, auto &k_b_mean_sum) {
                // k_b:   cast(layer_norm(k_f32, ln_gamma, ln_beta, eps=eps), bf16)
                const auto k_f32 = at.extract(k_f32_acc, t1 - t0);
                const auto k_b_part = k_f32 * 0.0078125f;
                k_b_mean_sum.take(at, k_b_part);
            }, RowSum(k_b_mean));
            VecF32_32x128 k_b_c(t1_valid); TASSIGN(k_b_c, 0x00480);  // UB 0x00480..0x04480
            VecF32_32x1 k_b_var(t1_valid); TASSIGN(k_b_var, 0x04480);  // UB 0x04480..0x04500
            TPASS(t1_valid, 128, [&](auto at, auto &k_b_var_sum) {
                const auto k_f32 = at.extract(k_f32_acc, t1 - t0);
                const auto k_b_c_v = k_f32 - at.column(k_b_mean);
                at.store(k_b_c, k_b_c_v);
                const auto k_b_square = k_b_c_v * k_b_c_v;
                const auto k_b_var_part = k_b_square * 0.0078125f;
                k_b_var_sum.take(at, k_b_var_part);
            }, RowSum(k_b_var));
            VecF32_1x32 k_b_var_eps_row(t1_valid); TASSIGN(k_b_var_eps_row, 0x00400);  // as a row, same bytes as k_b_var_eps
            VecF32_1x32 k_b_var_row(t1_valid); TASSIGN(k_b_var_row, 0x04480);  // as a row, same bytes as k_b_var
            TADDS(k_b_var_eps_row, k_b_var_row, eps);
            VecF32_1x32 k_b_std_row(t1_valid); TASSIGN(k_b_std_row, 0x04480);  // as a row, same bytes as k_b_std
            TSQRT(k_b_std_row, k_b_var_eps_row);
            VecF32_32x1 k_b_std(t1_valid); TASSIGN(k_b_std, 0x04480);  // UB 0x04480..0x04500
            VecB16_32x128 k_b(t1_valid); TASSIGN(k_b, 0x04500);  // UB 0x04500..0x06500
            TPASS(t1_valid, 128, [&](auto at, auto &k_b_std_divisor) {
                const auto k_b_c_v = at.load(k_b_c);
                const auto k_b_unit = k_b_c_v / k_b_std_divisor;
                const auto k_b_scaled = k_b_unit * at.row(k_b_gamma);
                const auto k_b_1 = k_b_scaled + at.row(k_b_beta);
                at.store(k_b, k_b_1);
            }, Divisor(k_b_std));
            // k_cat: concat(rope(k_b[:, :r], cos, sin), k_b[:, r:], axis=-1)
            VecF32_32x64 k_cat_x(t1_valid); TASSIGN(k_cat_x, 0x00400);  // UB 0x00400..0x02400
            VecB16_32x128_c64 k_cat_1(t1_valid); TASSIGN(k_cat_1, 0x04500);  // columns 0.. of k_b
            TCVT(k_cat_x, k_cat_1, RoundMode::CAST_RINT);
            VecF32_32x64_c32 k_cat_x1(t1_valid); TASSIGN(k_cat_x1, 0x00400);  // columns 0.. of k_cat_x
            VecF32_32x64_c32 k_cat_x2(t1_valid); TASSIGN(k_cat_x2, 0x00480);  // columns 32.. of k_cat_x
            VecF32_32x64_c32 k_cat_low(t1_valid); TASSIGN(k_cat_low, 0x02400);  // columns 0.. of k_cat_roped
            VecF32_32x64_c32 k_cat_high(t1_valid); TASSIGN(k_cat_high, 0x02480);  // columns 32.. of k_cat_roped
            CosGm cos_in(cos + int64_t(t1) * 64, {t1_valid});
            CosGm cos_in_2(cos + int64_t(t1) * 64 + 32, {t1_valid});
            CosGm sin_in(sin + int64_t(t1) * 64, {t1_valid});
            CosGm sin_in_2(sin + int64_t(t1) * 64 + 32, {t1_valid});
            TPASS(t1_valid, 32, [&](auto at) {
                const auto cos_tile_1 = at.load(cos_in);
                const auto cos_tile_2 = at.load(cos_in_2);
                const auto sin_tile_1 = at.load(sin_in);
                const auto sin_tile_2 = at.load(sin_in_2);
                const auto k_cat_x1_v = at.load(k_cat_x1);
                const auto k_cat_x1c1 = k_cat_x1_v * cos_tile_1;
                const auto k_cat_x2_v = at.load(k_cat_x2);
                const auto k_cat_x2s1 = k_cat_x2_v * sin_tile_1;
                const auto k_cat_low_v = k_cat_x1c1 - k_cat_x2s1;
                at.store(k_cat_low, k_cat_low_v);
                const auto k_cat_x2c2 = k_cat_x2_v * cos_tile_2;
                const auto k_cat_x1s2 = k_cat_x1_v * sin_tile_2;
                const auto k_cat_high_v = k_cat_x2c2 + k_cat_x1s2;
                at.store(k_cat_high, k_cat_high_v);
            });
            VecB16_32x128_c64 k_cat_rope(t1_valid); TASSIGN(k_cat_rope, 0x04500);  // columns 0.. of k_b
            VecF32_32x64 k_cat_roped(t1_valid); TASSIGN(k_cat_roped, 0x02400);  // UB 0x02400..0x04400
            TCVT(k_cat_rope, k_cat_roped, RoundMode::CAST_RINT);
            // k_h: matmul(k_cat, hadamard_k, dtype=bf16)
            LeftB16_32x128 k_b_l0a(t1_valid); TASSIGN(k_b_l0a, 0x00000);  // L0A 0x00000..0x02000
            TMOV(k_b_l0a, k_b);
            AccF32_32x128 k_h_acc(t1_valid); TASSIGN(k_h_acc, 0x30000);  // L0C 0x30000..0x34000
            TMATMUL(k_h_acc, k_b_l0a, hadamard_k_tile);
            // f: cast(v, fp32)
            VecB16_32x128 k_h(t1_valid); TASSIGN(k_h, 0x00400);  // UB 0x00400..0x02400
            TEXTRACT(k_h, k_h_acc, 0, 0);
            VecF32_32x128 k_q_f(t1_valid); TASSIGN(k_q_f, 0x02400);  // UB 0x02400..0x06400
            VecF32_32x1 k_q_s_2(t1_valid); TASSIGN(k_q_s_2, 0x06400);  // UB 0x06400..0x06480
            TPASS(t1_valid, 128, [&](auto at, auto &k_q_s_2_max) {
                const auto k_h_v = at.load(k_h);
                at.store(k_q_f, k_h_v);
                // s: 127 / maximum(amax(abs(f), axis=-1, keepdim=true), 1.0e-35)
                const auto k_q_s_1 = at.abs(k_h_v);
                k_q_s_2_max.take(at, k_q_s_1);
            }, RowMax(k_q_s_2));
            VecF32_1x32 k_q_s_3_row(t1_valid); TASSIGN(k_q_s_3_row, 0x00400);  // as a row, same bytes as k_q_s_3
            VecF32_1x32 k_q_s_2_row(t1_valid); TASSIGN(k_q_s_2_row, 0x06400);  // as a row, same bytes as k_q_s_2
            TMAXS(k_q_s_3_row, k_q_s_2_row, 1e-35f);
            VecF32_1x32 k_q_s_row(t1_valid); TASSIGN(k_q_s_row, 0x00480);  // as a row, same bytes as k_q_s
            TDIVS(k_q_s_row, 127.0f, k_q_s_3_row);
            // return: [cast(f * s, int8, mode=rint), cast(1 / s, fp16)]
            VecF32_1x32 k_s_1_row(t1_valid); TASSIGN(k_s_1_row, 0x00400);  // as a row, same bytes as k_s_1
            TDIVS(k_s_1_row, 1.0f, k_q_s_row);
            VecF16_1x32 k_s_row(t1_valid); TASSIGN(k_s_row, 0x00500);  // as a row, same bytes as k_s
            TCVT(k_s_row, k_s_1_row, RoundMode::CAST_RINT);
            VecF32_32x1 k_q_s(t1_valid); TASSIGN(k_q_s, 0x00480);  // UB 0x00480..0x00500
            VecI8_32x128 k_q(t1_valid); TASSIGN(k_q, 0x00540);  // UB 0x00540..0x01540
            TPASS(t1_valid, 128, [&](auto at) {
                const auto k_q_f_v = at.load(k_q_f);
                const auto k_q_1 = k_q_f_v * at.column(k_q_s);
                at.store(k_q, k_q_1);
            });
            // rows of k_q to the slots in k_index
            for (int32_t row = 0; row < t1_valid; ++row) {
                const int64_t slot = k_index[int64_t(row) + int64_t(t1)];
                if (slot < 0) {  // this row is not kept
                    continue;
                }
                // k_cache:       scatter_update(k_cache, k_index, k_q, dim=-2)
                VecI8_1x128 k_q_one; TASSIGN(k_q_one, 0x00540 + row * 0x00080);  // row of k_q
                KCacheGm k_cache_out(k_cache + int64_t(slot) * 128);
                TSTORE(k_cache_out, k_q_one);
            }
            // k_scale_cache: scatter_update(k_scale_cache, k_index, k_s, dim=-2)
            VecF16_32x16 k_s_wide(t1_valid); TASSIGN(k_s_wide, 0x00540);  // UB 0x00540..0x00940
            VecF16_32x1 k_s(t1_valid); TASSIGN(k_s, 0x00500);  // UB 0x00500..0x00540
            TROWEXPAND(k_s_wide, k_s);
            // rows of k_s_wide to the slots in k_index
            for (int32_t row = 0; row < t1_valid; ++row) {
                const int64_t slot = k_index[int64_t(row) + int64_t(t1)];
                if (slot < 0) {  // this row is not kept
                    continue;
                }
                VecF16_1x16_c1 k_s_wide_one; TASSIGN(k_s_wide_one, 0x00540 + row * 0x00020);  // row of k_s_wide
                KScaleCacheGm k_scale_cache_out(k_scale_cache + int64_t(slot));
                TSTORE(k_scale_cache_out, k_s_wide_one);
            }
        }
    }
}
