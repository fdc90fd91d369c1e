// key_rope: vector kernel of `indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages key_rope; tiles t 32; memory UB 83584 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x128 = Tile<TileType::Vec, bfloat16_t, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecB16_32x64 = Tile<TileType::Vec, bfloat16_t, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_32x1 = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecB16_32x128 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_32x64 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecB16_32x128_c64 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_32x64_c32 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 32>;
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
    // k_b:   cast(layer_norm(k_f32, ln_gamma, ln_beta, eps=eps), bf16)
    VecB16_1x128 ln_gamma_tile; TASSIGN<0x04000>(ln_gamma_tile);  // UB 0x04000..0x04100
    LnGammaGm ln_gamma_in(ln_gamma);
    TLOAD(ln_gamma_tile, ln_gamma_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
    VecB16_1x128 ln_beta_tile; TASSIGN<0x04100>(ln_beta_tile);  // UB 0x04100..0x04200
    LnGammaGm ln_beta_in(ln_beta);
    TLOAD(ln_beta_tile, ln_beta_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
    VecF32_1x128 k_b_gamma; TASSIGN<0x08200>(k_b_gamma);  // UB 0x08200..0x08400
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
    TCVT(k_b_gamma, ln_gamma_tile, RoundMode::CAST_RINT, SaturationMode::ON);
    VecF32_1x128 k_b_beta; TASSIGN<0x08400>(k_b_beta);  // UB 0x08400..0x08600
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
    TCVT(k_b_beta, ln_beta_tile, RoundMode::CAST_RINT, SaturationMode::ON);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free at first
    for (int32_t t0 = t_begin + block * 32; t0 < t_end; t0 += nblk * 32) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        VecF32_32x128 k_f32_tile(t0_valid); TASSIGN<0x00000>(k_f32_tile);  // UB 0x00000..0x04000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free again
        KF32Gm k_f32_in(k_f32 + int64_t(t0) * 128, {t0_valid});
        TLOAD(k_f32_tile, k_f32_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
        // k_cat: concat(rope(k_b[:, :r], cos, sin), k_b[:, r:], axis=-1)
        VecB16_32x64 cos_tile(t0_valid); TASSIGN<0x06200>(cos_tile);  // UB 0x06200..0x07200
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free again
        CosGm cos_in(cos + int64_t(t0) * 64, {t0_valid});
        TLOAD(cos_tile, cos_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
        VecB16_32x64 sin_tile(t0_valid); TASSIGN<0x07200>(sin_tile);  // UB 0x07200..0x08200
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free again
        CosGm sin_in(sin + int64_t(t0) * 64, {t0_valid});
        TLOAD(sin_tile, sin_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        // k_b:   cast(layer_norm(k_f32, ln_gamma, ln_beta, eps=eps), bf16)
        VecF32_32x128 k_b_part(t0_valid); TASSIGN<0x08600>(k_b_part);  // UB 0x08600..0x0c600
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
        TMULS(k_b_part, k_f32_tile, 0.0078125f);
        VecF32_32x1 k_b_mean(t0_valid); TASSIGN<0x0c600>(k_b_mean);  // UB 0x0c600..0x0c680
        VecF32_32x128 k_b_mean_tmp(t0_valid); TASSIGN<0x0c680>(k_b_mean_tmp);  // UB 0x0c680..0x10680
        pipe_barrier(PIPE_V);
        TROWSUM(k_b_mean, k_b_part, k_b_mean_tmp);
        VecF32_32x128 k_b_c(t0_valid); TASSIGN<0x08600>(k_b_c);  // UB 0x08600..0x0c600
        pipe_barrier(PIPE_V);
        TROWEXPANDSUB(k_b_c, k_f32_tile, k_b_mean);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);
        VecF32_32x128 k_b_square(t0_valid); TASSIGN<0x0c600>(k_b_square);  // UB 0x0c600..0x10600
        pipe_barrier(PIPE_V);
        TMUL(k_b_square, k_b_c, k_b_c);
        VecF32_32x128 k_b_var_part(t0_valid); TASSIGN<0x0c600>(k_b_var_part);  // UB 0x0c600..0x10600
        pipe_barrier(PIPE_V);
        TMULS(k_b_var_part, k_b_square, 0.0078125f);
        VecF32_32x1 k_b_var(t0_valid); TASSIGN<0x10600>(k_b_var);  // UB 0x10600..0x10680
        VecF32_32x128 k_b_var_tmp(t0_valid); TASSIGN<0x10680>(k_b_var_tmp);  // UB 0x10680..0x14680
        pipe_barrier(PIPE_V);
        TROWSUM(k_b_var, k_b_var_part, k_b_var_tmp);
        VecF32_1x32 k_b_var_eps_row(t0_valid); TASSIGN<0x0c600>(k_b_var_eps_row);  // as a row, same bytes as k_b_var_eps
        VecF32_1x32 k_b_var_row(t0_valid); TASSIGN<0x10600>(k_b_var_row);  // as a row, same bytes as k_b_var
        pipe_barrier(PIPE_V);
        TADDS(k_b_var_eps_row, k_b_var_row, eps);
        VecF32_1x32 k_b_std_row(t0_valid); TASSIGN<0x0c600>(k_b_std_row);  // as a row, same bytes as k_b_std
        pipe_barrier(PIPE_V);
        TSQRT(k_b_std_row, k_b_var_eps_row);
        VecF32_32x128 k_b_unit(t0_valid); TASSIGN<0x08600>(k_b_unit);  // UB 0x08600..0x0c600
        VecF32_32x1 k_b_std(t0_valid); TASSIGN<0x0c600>(k_b_std);  // UB 0x0c600..0x0c680
        pipe_barrier(PIPE_V);
        TROWEXPANDDIV(k_b_unit, k_b_c, k_b_std);
        VecF32_32x128 k_b_scaled(t0_valid); TASSIGN<0x08600>(k_b_scaled);  // UB 0x08600..0x0c600
        pipe_barrier(PIPE_V);
        TCOLEXPANDMUL(k_b_scaled, k_b_unit, k_b_gamma);
        VecF32_32x128 k_b_1(t0_valid); TASSIGN<0x08600>(k_b_1);  // UB 0x08600..0x0c600
        pipe_barrier(PIPE_V);
        TCOLEXPANDADD(k_b_1, k_b_scaled, k_b_beta);
        VecB16_32x128 k_b(t0_valid); TASSIGN<0x04200>(k_b);  // UB 0x04200..0x06200
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TCVT(k_b, k_b_1, RoundMode::CAST_RINT, SaturationMode::ON);
        // k_cat: concat(rope(k_b[:, :r], cos, sin), k_b[:, r:], axis=-1)
        VecF32_32x64 k_cat_x(t0_valid); TASSIGN<0x08600>(k_cat_x);  // UB 0x08600..0x0a600
        VecB16_32x128_c64 k_cat_1(t0_valid); TASSIGN<0x04200>(k_cat_1);  // columns 0.. of k_b
        pipe_barrier(PIPE_V);
        TCVT(k_cat_x, k_cat_1, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_32x64 k_cat_cos(t0_valid); TASSIGN<0x0a600>(k_cat_cos);  // UB 0x0a600..0x0c600
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
        TCVT(k_cat_cos, cos_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
        VecF32_32x64 k_cat_sin(t0_valid); TASSIGN<0x0c600>(k_cat_sin);  // UB 0x0c600..0x0e600
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        TCVT(k_cat_sin, sin_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        VecF32_32x64_c32 k_cat_x1c1(t0_valid); TASSIGN<0x0e600>(k_cat_x1c1);  // UB 0x0e600..0x10600
        VecF32_32x64_c32 k_cat_x1(t0_valid); TASSIGN<0x08600>(k_cat_x1);  // columns 0.. of k_cat_x
        VecF32_32x64_c32 k_cat_cos1(t0_valid); TASSIGN<0x0a600>(k_cat_cos1);  // columns 0.. of k_cat_cos
        pipe_barrier(PIPE_V);
        TMUL(k_cat_x1c1, k_cat_x1, k_cat_cos1);
        VecF32_32x64_c32 k_cat_x2s1(t0_valid); TASSIGN<0x10600>(k_cat_x2s1);  // UB 0x10600..0x12600
        VecF32_32x64_c32 k_cat_x2(t0_valid); TASSIGN<0x08680>(k_cat_x2);  // columns 32.. of k_cat_x
        VecF32_32x64_c32 k_cat_sin1(t0_valid); TASSIGN<0x0c600>(k_cat_sin1);  // columns 0.. of k_cat_sin
        TMUL(k_cat_x2s1, k_cat_x2, k_cat_sin1);
        VecF32_32x64_c32 k_cat_low(t0_valid); TASSIGN<0x12600>(k_cat_low);  // columns 0.. of k_cat_roped
        pipe_barrier(PIPE_V);
        TSUB(k_cat_low, k_cat_x1c1, k_cat_x2s1);
        VecF32_32x64_c32 k_cat_x2c2(t0_valid); TASSIGN<0x0e600>(k_cat_x2c2);  // UB 0x0e600..0x10600
        VecF32_32x64_c32 k_cat_cos2(t0_valid); TASSIGN<0x0a680>(k_cat_cos2);  // columns 32.. of k_cat_cos
        pipe_barrier(PIPE_V);
        TMUL(k_cat_x2c2, k_cat_x2, k_cat_cos2);
        VecF32_32x64_c32 k_cat_x1s2(t0_valid); TASSIGN<0x08600>(k_cat_x1s2);  // UB 0x08600..0x0a600
        VecF32_32x64_c32 k_cat_sin2(t0_valid); TASSIGN<0x0c680>(k_cat_sin2);  // columns 32.. of k_cat_sin
        TMUL(k_cat_x1s2, k_cat_x1, k_cat_sin2);
        VecF32_32x64_c32 k_cat_high(t0_valid); TASSIGN<0x12680>(k_cat_high);  // columns 32.. of k_cat_roped
        pipe_barrier(PIPE_V);
        TADD(k_cat_high, k_cat_x2c2, k_cat_x1s2);
        VecB16_32x128_c64 k_cat_rope(t0_valid); TASSIGN<0x04200>(k_cat_rope);  // columns 0.. of k_b
        VecF32_32x64 k_cat_roped(t0_valid); TASSIGN<0x12600>(k_cat_roped);  // UB 0x12600..0x14600
        pipe_barrier(PIPE_V);
        TCVT(k_cat_rope, k_cat_roped, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        KCatGm k_cat_out(k_cat + int64_t(t0) * 128, {t0_valid});
        TSTORE(k_cat_out, k_b);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // drain: the last use
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
