// key_rope: vector kernel of `indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages key_rope; tiles t 4; memory UB 15904 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x128 = Tile<TileType::Vec, bfloat16_t, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_8x128 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecB16_8x64 = Tile<TileType::Vec, bfloat16_t, 8, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecB16_8x128 = Tile<TileType::Vec, bfloat16_t, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_8x64 = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecB16_8x128_c64 = Tile<TileType::Vec, bfloat16_t, 8, 128, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_8x64_c32 = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, DYNAMIC, 32>;
using LnGammaGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>>;
using KF32Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 64, 1>>;
using KCatGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *k_cat,
    __gm__ float *k_f32,
    __gm__ bfloat16_t *ln_gamma,
    __gm__ bfloat16_t *ln_beta,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    // k_b:   cast(layer_norm(k_f32, ln_gamma, ln_beta, eps=eps), bf16)
    VecB16_1x128 ln_gamma_tile; TASSIGN<0x01000>(ln_gamma_tile);  // UB 0x01000..0x01100
    LnGammaGm ln_gamma_in(ln_gamma);
    TLOAD(ln_gamma_tile, ln_gamma_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID7);
    VecB16_1x128 ln_beta_tile; TASSIGN<0x01100>(ln_beta_tile);  // UB 0x01100..0x01200
    LnGammaGm ln_beta_in(ln_beta);
    TLOAD(ln_beta_tile, ln_beta_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID6);
    VecF32_1x128 k_b_gamma; TASSIGN<0x02200>(k_b_gamma);  // UB 0x02200..0x02400
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID7);
    TCVT(k_b_gamma, ln_gamma_tile, RoundMode::CAST_RINT, SaturationMode::ON);
    VecF32_1x128 k_b_beta; TASSIGN<0x02400>(k_b_beta);  // UB 0x02400..0x02600
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID6);
    TCVT(k_b_beta, ln_beta_tile, RoundMode::CAST_RINT, SaturationMode::ON);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 4; t0 < t_end; t0 += nblk * 4, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 4 ? t_end - t0 : 4;
        VecF32_8x128 k_f32_tile(t0_valid); TASSIGN(k_f32_tile, 0x00000 + t0_buffer * 0x00800);  // UB 0x00000..0x01000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_buffer));  // free again
        KF32Gm k_f32_in(k_f32 + int64_t(t0) * 128, {t0_valid});
        TLOAD(k_f32_tile, k_f32_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_buffer));
        // k_cat: concat(rope(k_b[:, :r], cos, sin), k_b[:, r:], axis=-1)
        VecB16_8x64 cos_tile(t0_valid); TASSIGN(cos_tile, 0x01a00 + t0_buffer * 0x00200);  // UB 0x01a00..0x01e00, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        CosGm cos_in(cos + int64_t(t0) * 64, {t0_valid});
        TLOAD(cos_tile, cos_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        VecB16_8x64 sin_tile(t0_valid); TASSIGN(sin_tile, 0x01e00 + t0_buffer * 0x00200);  // UB 0x01e00..0x02200, 2 copies
        CosGm sin_in(sin + int64_t(t0) * 64, {t0_valid});
        TLOAD(sin_tile, sin_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        // k_b:   cast(layer_norm(k_f32, ln_gamma, ln_beta, eps=eps), bf16)
        VecF32_8x128 k_b_part(t0_valid); TASSIGN<0x02600>(k_b_part);  // UB 0x02600..0x02e00
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_buffer));
        TMULS(k_b_part, k_f32_tile, 0.0078125f);
        VecF32_8x1 k_b_mean(t0_valid); TASSIGN<0x02e00>(k_b_mean);  // UB 0x02e00..0x02e20
        VecF32_8x128 k_b_mean_tmp(t0_valid); TASSIGN<0x02e20>(k_b_mean_tmp);  // UB 0x02e20..0x03620
        pipe_barrier(PIPE_V);
        TROWSUM(k_b_mean, k_b_part, k_b_mean_tmp);
        VecF32_8x128 k_b_c(t0_valid); TASSIGN<0x02600>(k_b_c);  // UB 0x02600..0x02e00
        pipe_barrier(PIPE_V);
        TROWEXPANDSUB(k_b_c, k_f32_tile, k_b_mean);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_buffer));
        VecF32_8x128 k_b_square(t0_valid); TASSIGN<0x02e00>(k_b_square);  // UB 0x02e00..0x03600
        pipe_barrier(PIPE_V);
        TMUL(k_b_square, k_b_c, k_b_c);
        VecF32_8x128 k_b_var_part(t0_valid); TASSIGN<0x02e00>(k_b_var_part);  // UB 0x02e00..0x03600
        pipe_barrier(PIPE_V);
        TMULS(k_b_var_part, k_b_square, 0.0078125f);
        VecF32_8x1 k_b_var(t0_valid); TASSIGN<0x03600>(k_b_var);  // UB 0x03600..0x03620
        VecF32_8x128 k_b_var_tmp(t0_valid); TASSIGN<0x03620>(k_b_var_tmp);  // UB 0x03620..0x03e20
        pipe_barrier(PIPE_V);
        TROWSUM(k_b_var, k_b_var_part, k_b_var_tmp);
        VecF32_1x8 k_b_var_eps_row(t0_valid); TASSIGN<0x02e00>(k_b_var_eps_row);  // as a row, same bytes as k_b_var_eps
        VecF32_1x8 k_b_var_row(t0_valid); TASSIGN<0x03600>(k_b_var_row);  // as a row, same bytes as k_b_var
        pipe_barrier(PIPE_V);
        TADDS(k_b_var_eps_row, k_b_var_row, eps);
        VecF32_1x8 k_b_std_row(t0_valid); TASSIGN<0x02e00>(k_b_std_row);  // as a row, same bytes as k_b_std
        pipe_barrier(PIPE_V);
        TSQRT(k_b_std_row, k_b_var_eps_row);
        VecF32_1x8 k_b_std_inverse_row(t0_valid); TASSIGN<0x02e20>(k_b_std_inverse_row);  // as a row, same bytes as k_b_std_inverse
        pipe_barrier(PIPE_V);
        TRECIP(k_b_std_inverse_row, k_b_std_row);
        VecF32_8x128 k_b_unit(t0_valid); TASSIGN<0x02600>(k_b_unit);  // UB 0x02600..0x02e00
        VecF32_8x1 k_b_std_inverse(t0_valid); TASSIGN<0x02e20>(k_b_std_inverse);  // UB 0x02e20..0x02e40
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(k_b_unit, k_b_c, k_b_std_inverse);
        VecF32_8x128 k_b_scaled(t0_valid); TASSIGN<0x02600>(k_b_scaled);  // UB 0x02600..0x02e00
        pipe_barrier(PIPE_V);
        TCOLEXPANDMUL(k_b_scaled, k_b_unit, k_b_gamma);
        VecF32_8x128 k_b_1(t0_valid); TASSIGN<0x02600>(k_b_1);  // UB 0x02600..0x02e00
        pipe_barrier(PIPE_V);
        TCOLEXPANDADD(k_b_1, k_b_scaled, k_b_beta);
        VecB16_8x128 k_b(t0_valid); TASSIGN(k_b, 0x01200 + t0_buffer * 0x00400);  // UB 0x01200..0x01a00, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCVT(k_b, k_b_1, RoundMode::CAST_RINT, SaturationMode::ON);
        // k_cat: concat(rope(k_b[:, :r], cos, sin), k_b[:, r:], axis=-1)
        VecF32_8x64 k_cat_x(t0_valid); TASSIGN<0x02600>(k_cat_x);  // UB 0x02600..0x02a00
        VecB16_8x128_c64 k_cat_1(t0_valid); TASSIGN(k_cat_1, 0x01200 + t0_buffer * 0x00400);  // columns 0.. of k_b
        pipe_barrier(PIPE_V);
        TCVT(k_cat_x, k_cat_1, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_8x64 k_cat_cos(t0_valid); TASSIGN<0x02a00>(k_cat_cos);  // UB 0x02a00..0x02e00
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        TCVT(k_cat_cos, cos_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_8x64 k_cat_sin(t0_valid); TASSIGN<0x02e00>(k_cat_sin);  // UB 0x02e00..0x03200
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TCVT(k_cat_sin, sin_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecF32_8x64_c32 k_cat_x1c1(t0_valid); TASSIGN<0x03200>(k_cat_x1c1);  // UB 0x03200..0x03600
        VecF32_8x64_c32 k_cat_x1(t0_valid); TASSIGN<0x02600>(k_cat_x1);  // columns 0.. of k_cat_x
        VecF32_8x64_c32 k_cat_cos1(t0_valid); TASSIGN<0x02a00>(k_cat_cos1);  // columns 0.. of k_cat_cos
        pipe_barrier(PIPE_V);
        TMUL(k_cat_x1c1, k_cat_x1, k_cat_cos1);
        VecF32_8x64_c32 k_cat_x2s1(t0_valid); TASSIGN<0x03600>(k_cat_x2s1);  // UB 0x03600..0x03a00
        VecF32_8x64_c32 k_cat_x2(t0_valid); TASSIGN<0x02680>(k_cat_x2);  // columns 32.. of k_cat_x
        VecF32_8x64_c32 k_cat_sin1(t0_valid); TASSIGN<0x02e00>(k_cat_sin1);  // columns 0.. of k_cat_sin
        TMUL(k_cat_x2s1, k_cat_x2, k_cat_sin1);
        VecF32_8x64_c32 k_cat_low(t0_valid); TASSIGN<0x03a00>(k_cat_low);  // columns 0.. of k_cat_roped
        pipe_barrier(PIPE_V);
        TSUB(k_cat_low, k_cat_x1c1, k_cat_x2s1);
        VecF32_8x64_c32 k_cat_x2c2(t0_valid); TASSIGN<0x03200>(k_cat_x2c2);  // UB 0x03200..0x03600
        VecF32_8x64_c32 k_cat_cos2(t0_valid); TASSIGN<0x02a80>(k_cat_cos2);  // columns 32.. of k_cat_cos
        pipe_barrier(PIPE_V);
        TMUL(k_cat_x2c2, k_cat_x2, k_cat_cos2);
        VecF32_8x64_c32 k_cat_x1s2(t0_valid); TASSIGN<0x02600>(k_cat_x1s2);  // UB 0x02600..0x02a00
        VecF32_8x64_c32 k_cat_sin2(t0_valid); TASSIGN<0x02e80>(k_cat_sin2);  // columns 32.. of k_cat_sin
        TMUL(k_cat_x1s2, k_cat_x1, k_cat_sin2);
        VecF32_8x64_c32 k_cat_high(t0_valid); TASSIGN<0x03a80>(k_cat_high);  // columns 32.. of k_cat_roped
        pipe_barrier(PIPE_V);
        TADD(k_cat_high, k_cat_x2c2, k_cat_x1s2);
        VecB16_8x128_c64 k_cat_rope(t0_valid); TASSIGN(k_cat_rope, 0x01200 + t0_buffer * 0x00400);  // columns 0.. of k_b
        VecF32_8x64 k_cat_roped(t0_valid); TASSIGN<0x03a00>(k_cat_roped);  // UB 0x03a00..0x03e00
        pipe_barrier(PIPE_V);
        TCVT(k_cat_rope, k_cat_roped, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        KCatGm k_cat_out(k_cat + int64_t(t0) * 128, {t0_valid});
        TSTORE(k_cat_out, k_b);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void key_rope(
    __gm__ bfloat16_t *k_cat, __gm__ float *k_f32, __gm__ bfloat16_t *ln_gamma, __gm__ bfloat16_t *ln_beta,
    __gm__ bfloat16_t *cos, __gm__ bfloat16_t *sin, float eps, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(
        k_cat, k_f32, ln_gamma, ln_beta, cos, sin, eps, t_begin, t_end, nblk,
        static_cast<int32_t>(get_block_idx()));
}
