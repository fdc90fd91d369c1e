// key: mixed kernel of `glm_attention_pre` for cpu. Made by pyptogen; change the spec, not this file.
// stages key_linear, key_rope; tiles t 256 / 32; memory L0A 1310720 B, L0B 1310720 B, L0C 262144 B, UB 27392 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using RightI8_5120x128 = TileRight<int8_t, 5120, 128, 5120, 128>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using LeftI8_256x5120 = TileLeft<int8_t, 256, 5120, DYNAMIC, 5120>;
using AccI32_256x128 = TileAcc<int32_t, 256, 128, DYNAMIC, 128>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_32x1 = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecB16_32x128 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_32x64 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecB16_32x128_c64 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_32x64_c32 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 32>;
using VecB16_1x128 = Tile<TileType::Vec, bfloat16_t, 1, 128, BLayout::RowMajor, 1, 128>;
using WKGm = GlobalTensor<int8_t, Shape<1, 1, 1, 5120, 128>, Stride<1, 1, 1, 163840, 1>, Layout::CPU_PACKED>;
using KGammaGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>>;
using KScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>>;
using NQGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 5120>, Stride<1, 1, 1, 5120, 1>>;
using NScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 32>, Stride<1, 1, 1, 64, 1>>;
using KCacheGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void key(
    __gm__ bfloat16_t *k_cache,
    __gm__ bfloat16_t *v_cache,
    __gm__ int8_t *n_q,
    __gm__ int8_t *w_k,
    __gm__ int8_t *w_v,
    __gm__ bfloat16_t *k_gamma,
    __gm__ float *n_scale,
    __gm__ float *k_scale,
    __gm__ float *k_bias,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    __gm__ int64_t *slot,
    __gm__ float *v_scale,
    __gm__ float *v_bias,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // k_i: matmul(n_q, w_k, dtype=int32)
    RightI8_5120x128 w_k_tile; TASSIGN(w_k_tile, 0x00000);  // L0B 0x00000..0xa0000
    WKGm w_k_in(w_k);
    TLOAD(w_k_tile, w_k_in);
    // v_i: matmul(n_q, w_v, dtype=int32)
    RightI8_5120x128 w_v_tile; TASSIGN(w_v_tile, 0xa0000);  // L0B 0xa0000..0x140000
    WKGm w_v_in(w_v);
    TLOAD(w_v_tile, w_v_in);
    VecF32_1x128 k_n_5; TASSIGN(k_n_5, 0x00200);  // UB 0x00200..0x00400
    VecF32_1x128 k_scale_tile; TASSIGN(k_scale_tile, 0x00400);  // UB 0x00400..0x00600
    VecF32_1x128 k_bias_tile; TASSIGN(k_bias_tile, 0x00000);  // UB 0x00000..0x00200
    VecF32_1x128 v_scale_tile; TASSIGN(v_scale_tile, 0x00800);  // UB 0x00800..0x00a00
    VecF32_1x128 v_bias_tile; TASSIGN(v_bias_tile, 0x00600);  // UB 0x00600..0x00800
    KGammaGm k_gamma_in(k_gamma);
    KScaleGm k_scale_in(k_scale);
    KScaleGm k_bias_in(k_bias);
    KScaleGm v_scale_in(v_scale);
    KScaleGm v_bias_in(v_bias);
    TPASS(1, 128, [&](auto at) {
        // k_n:     cast(rms_norm(cast(k_i, fp32) * n_scale * k_scale + k_bias, cast(k_gamma, fp32), eps=eps), bf16)
        const auto k_gamma_tile = at.load(k_gamma_in);
        at.store(k_n_5, k_gamma_tile);
        const auto k_scale_tile_v = at.load(k_scale_in);
        at.store(k_scale_tile, k_scale_tile_v);
        const auto k_bias_tile_v = at.load(k_bias_in);
        at.store(k_bias_tile, k_bias_tile_v);
        // v:       cast(cast(v_i, fp32) * n_scale * v_scale + v_bias, bf16)
        const auto v_scale_tile_v = at.load(v_scale_in);
        at.store(v_scale_tile, v_scale_tile_v);
        const auto v_bias_tile_v = at.load(v_bias_in);
        at.store(v_bias_tile, v_bias_tile_v);
    });
    for (int32_t t0 = t_begin + block * 256; t0 < t_end; t0 += nblk * 256) {
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        // k_i: matmul(n_q, w_k, dtype=int32)
        LeftI8_256x5120 n_q_tile(t0_valid); TASSIGN(n_q_tile, 0x00000);  // L0A 0x00000..0x140000
        NQGm n_q_in(n_q + int64_t(t0) * 5120, {t0_valid});
        TLOAD(n_q_tile, n_q_in);
        AccI32_256x128 k_i_acc(t0_valid); TASSIGN(k_i_acc, 0x00000);  // L0C 0x00000..0x20000
        TMATMUL(k_i_acc, n_q_tile, w_k_tile);
        // v_i: matmul(n_q, w_v, dtype=int32)
        AccI32_256x128 v_i_acc(t0_valid); TASSIGN(v_i_acc, 0x20000);  // L0C 0x20000..0x40000
        TMATMUL(v_i_acc, n_q_tile, w_v_tile);
        for (int32_t t1 = t0; t1 < t0 + t0_valid; t1 += 32) {
            const int32_t t1_valid = t0 + t0_valid - t1 < 32 ? t0 + t0_valid - t1 : 32;
            // k_n:     cast(rms_norm(cast(k_i, fp32) * n_scale * k_scale + k_bias, cast(k_gamma, fp32), eps=eps), bf16)
            VecF32_1x32 n_scale_tile_row(t1_valid); TASSIGN(n_scale_tile_row, 0x00a00);  // as a row, same bytes as n_scale_tile
            NScaleGm n_scale_in(n_scale + int64_t(t1), {t1_valid});
            TLOAD(n_scale_tile_row, n_scale_in);
            VecF32_32x1 n_scale_tile(t1_valid); TASSIGN(n_scale_tile, 0x00a00);  // UB 0x00a00..0x00a80
            VecF32_32x128 k_n_4(t1_valid); TASSIGN(k_n_4, 0x00a80);  // UB 0x00a80..0x04a80
            VecF32_32x1 k_n_var(t1_valid); TASSIGN(k_n_var, 0x04a80);  // UB 0x04a80..0x04b00
            TPASS(t1_valid, 128, [&](auto at, auto &k_n_var_sum) {
                const auto k_i = at.extract(k_i_acc, t1 - t0);
                const auto k_n_1 = at.to_float(k_i);
                const auto k_n_2 = k_n_1 * at.column(n_scale_tile);
                const auto k_n_3 = k_n_2 * at.row(k_scale_tile);
                const auto k_n_4_v = k_n_3 + at.row(k_bias_tile);
                at.store(k_n_4, k_n_4_v);
                const auto k_n_square = k_n_4_v * k_n_4_v;
                const auto k_n_var_part = k_n_square * 0.0078125f;
                k_n_var_sum.take(at, k_n_var_part);
            }, RowSum(k_n_var));
            VecF32_1x32 k_n_var_eps_row(t1_valid); TASSIGN(k_n_var_eps_row, 0x04b00);  // as a row, same bytes as k_n_var_eps
            VecF32_1x32 k_n_var_row(t1_valid); TASSIGN(k_n_var_row, 0x04a80);  // as a row, same bytes as k_n_var
            TADDS(k_n_var_eps_row, k_n_var_row, eps);
            VecF32_1x32 k_n_std_row(t1_valid); TASSIGN(k_n_std_row, 0x04a80);  // as a row, same bytes as k_n_std
            TSQRT(k_n_std_row, k_n_var_eps_row);
            VecF32_32x1 k_n_std(t1_valid); TASSIGN(k_n_std, 0x04a80);  // UB 0x04a80..0x04b00
            VecB16_32x128 k_n(t1_valid); TASSIGN(k_n, 0x04b00);  // UB 0x04b00..0x06b00
            TPASS(t1_valid, 128, [&](auto at, auto &k_n_std_divisor) {
                const auto k_n_4_v = at.load(k_n_4);
                const auto k_n_unit = k_n_4_v / k_n_std_divisor;
                const auto k_n_7 = k_n_unit * at.row(k_n_5);
                at.store(k_n, k_n_7);
            }, Divisor(k_n_std));
            // k:       concat(rope(k_n[:, :r], cos, sin), k_n[:, r:], axis=-1)
            VecF32_32x64 k_x(t1_valid); TASSIGN(k_x, 0x00a80);  // UB 0x00a80..0x02a80
            VecB16_32x128_c64 k_1(t1_valid); TASSIGN(k_1, 0x04b00);  // columns 0.. of k_n
            TCVT(k_x, k_1, RoundMode::CAST_RINT);
            VecF32_32x64_c32 k_x1(t1_valid); TASSIGN(k_x1, 0x00a80);  // columns 0.. of k_x
            VecF32_32x64_c32 k_x2(t1_valid); TASSIGN(k_x2, 0x00b00);  // columns 32.. of k_x
            VecF32_32x64_c32 k_low(t1_valid); TASSIGN(k_low, 0x02a80);  // columns 0.. of k_roped
            VecF32_32x64_c32 k_high(t1_valid); TASSIGN(k_high, 0x02b00);  // columns 32.. of k_roped
            CosGm cos_in(cos + int64_t(t1) * 64, {t1_valid});
            CosGm cos_in_2(cos + int64_t(t1) * 64 + 32, {t1_valid});
            CosGm sin_in(sin + int64_t(t1) * 64, {t1_valid});
            CosGm sin_in_2(sin + int64_t(t1) * 64 + 32, {t1_valid});
            TPASS(t1_valid, 32, [&](auto at) {
                const auto cos_tile_1 = at.load(cos_in);
                const auto cos_tile_2 = at.load(cos_in_2);
                const auto sin_tile_1 = at.load(sin_in);
                const auto sin_tile_2 = at.load(sin_in_2);
                const auto k_x1_v = at.load(k_x1);
                const auto k_x1c1 = k_x1_v * cos_tile_1;
                const auto k_x2_v = at.load(k_x2);
                const auto k_x2s1 = k_x2_v * sin_tile_1;
                const auto k_low_v = k_x1c1 - k_x2s1;
                at.store(k_low, k_low_v);
                const auto k_x2c2 = k_x2_v * cos_tile_2;
                const auto k_x1s2 = k_x1_v * sin_tile_2;
                const auto k_high_v = k_x2c2 + k_x1s2;
                at.store(k_high, k_high_v);
            });
            VecB16_32x128_c64 k_rope(t1_valid); TASSIGN(k_rope, 0x04b00);  // columns 0.. of k_n
            VecF32_32x64 k_roped(t1_valid); TASSIGN(k_roped, 0x02a80);  // UB 0x02a80..0x04a80
            TCVT(k_rope, k_roped, RoundMode::CAST_RINT);
            // rows of k_n to the slots in slot
            for (int32_t row = 0; row < t1_valid; ++row) {
                const int64_t slot_i = slot[int64_t(row) + int64_t(t1)];
                if (slot_i < 0) {  // this row is not kept
                    continue;
                }
                // k_cache: scatter_update(k_cache, slot, k, dim=0)
                VecB16_1x128 k_n_one; TASSIGN(k_n_one, 0x04b00 + row * 0x00100);  // row of k_n
                KCacheGm k_cache_out(k_cache + int64_t(slot_i) * 128);
                TSTORE(k_cache_out, k_n_one);
            }
            VecB16_32x128 v(t1_valid); TASSIGN(v, 0x00a80);  // UB 0x00a80..0x02a80
            TPASS(t1_valid, 128, [&](auto at) {
                // v:       cast(cast(v_i, fp32) * n_scale * v_scale + v_bias, bf16)
                const auto v_i = at.extract(v_i_acc, t1 - t0);
                const auto v_1 = at.to_float(v_i);
                const auto v_2 = v_1 * at.column(n_scale_tile);
                const auto v_3 = v_2 * at.row(v_scale_tile);
                const auto v_4 = v_3 + at.row(v_bias_tile);
                at.store(v, v_4);
            });
            // rows of v to the slots in slot
            for (int32_t row = 0; row < t1_valid; ++row) {
                const int64_t slot_i = slot[int64_t(row) + int64_t(t1)];
                if (slot_i < 0) {  // this row is not kept
                    continue;
                }
                // v_cache: scatter_update(v_cache, slot, v, dim=0)
                VecB16_1x128 v_one; TASSIGN(v_one, 0x00a80 + row * 0x00100);  // row of v
                KCacheGm v_cache_out(v_cache + int64_t(slot_i) * 128);
                TSTORE(v_cache_out, v_one);
            }
        }
    }
}
