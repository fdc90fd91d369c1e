// index_key_rope: vector kernel of `mla_indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages index_key_rope; tiles t 32; memory UB 116352 B
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
using IkGammaGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>>;
using IkFGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 64, 1>>;
using IkRGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *ik_r,
    __gm__ float *ik_f,
    __gm__ bfloat16_t *ik_gamma,
    __gm__ bfloat16_t *ik_beta,
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
    // ik_b: cast(layer_norm(ik_f, ik_gamma, ik_beta, eps=eps), bf16)
    VecB16_1x128 ik_gamma_tile; TASSIGN<0x08000>(ik_gamma_tile);  // UB 0x08000..0x08100
    IkGammaGm ik_gamma_in(ik_gamma);
    TLOAD(ik_gamma_tile, ik_gamma_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID7);
    VecB16_1x128 ik_beta_tile; TASSIGN<0x08100>(ik_beta_tile);  // UB 0x08100..0x08200
    IkGammaGm ik_beta_in(ik_beta);
    TLOAD(ik_beta_tile, ik_beta_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID6);
    VecF32_1x128 ik_b_gamma; TASSIGN<0x10200>(ik_b_gamma);  // UB 0x10200..0x10400
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID7);
    TCVT(ik_b_gamma, ik_gamma_tile, RoundMode::CAST_RINT, SaturationMode::ON);
    VecF32_1x128 ik_b_beta; TASSIGN<0x10400>(ik_b_beta);  // UB 0x10400..0x10600
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID6);
    TCVT(ik_b_beta, ik_beta_tile, RoundMode::CAST_RINT, SaturationMode::ON);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 32; t0 < t_end; t0 += nblk * 32, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        VecF32_32x128 ik_f_tile(t0_valid); TASSIGN(ik_f_tile, 0x00000 + t0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_buffer));  // free again
        IkFGm ik_f_in(ik_f + int64_t(t0) * 128, {t0_valid});
        TLOAD(ik_f_tile, ik_f_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_buffer));
        // ik_r: concat(rope(ik_b[:, :r], cos, sin), ik_b[:, r:], axis=-1)
        VecB16_32x64 cos_tile(t0_valid); TASSIGN(cos_tile, 0x0c200 + t0_buffer * 0x01000);  // UB 0x0c200..0x0e200, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        CosGm cos_in(cos + int64_t(t0) * 64, {t0_valid});
        TLOAD(cos_tile, cos_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        VecB16_32x64 sin_tile(t0_valid); TASSIGN(sin_tile, 0x0e200 + t0_buffer * 0x01000);  // UB 0x0e200..0x10200, 2 copies
        CosGm sin_in(sin + int64_t(t0) * 64, {t0_valid});
        TLOAD(sin_tile, sin_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        // ik_b: cast(layer_norm(ik_f, ik_gamma, ik_beta, eps=eps), bf16)
        VecF32_32x128 ik_b_part(t0_valid); TASSIGN<0x10600>(ik_b_part);  // UB 0x10600..0x14600
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_buffer));
        TMULS(ik_b_part, ik_f_tile, 0.0078125f);
        VecF32_32x1 ik_b_mean(t0_valid); TASSIGN<0x14600>(ik_b_mean);  // UB 0x14600..0x14680
        VecF32_32x128 ik_b_mean_tmp(t0_valid); TASSIGN<0x14680>(ik_b_mean_tmp);  // UB 0x14680..0x18680
        pipe_barrier(PIPE_V);
        TROWSUM(ik_b_mean, ik_b_part, ik_b_mean_tmp);
        VecF32_32x128 ik_b_c(t0_valid); TASSIGN<0x10600>(ik_b_c);  // UB 0x10600..0x14600
        pipe_barrier(PIPE_V);
        TROWEXPANDSUB(ik_b_c, ik_f_tile, ik_b_mean);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_buffer));
        VecF32_32x128 ik_b_square(t0_valid); TASSIGN<0x14600>(ik_b_square);  // UB 0x14600..0x18600
        pipe_barrier(PIPE_V);
        TMUL(ik_b_square, ik_b_c, ik_b_c);
        VecF32_32x128 ik_b_var_part(t0_valid); TASSIGN<0x14600>(ik_b_var_part);  // UB 0x14600..0x18600
        pipe_barrier(PIPE_V);
        TMULS(ik_b_var_part, ik_b_square, 0.0078125f);
        VecF32_32x1 ik_b_var(t0_valid); TASSIGN<0x18600>(ik_b_var);  // UB 0x18600..0x18680
        VecF32_32x128 ik_b_var_tmp(t0_valid); TASSIGN<0x18680>(ik_b_var_tmp);  // UB 0x18680..0x1c680
        pipe_barrier(PIPE_V);
        TROWSUM(ik_b_var, ik_b_var_part, ik_b_var_tmp);
        VecF32_1x32 ik_b_var_eps_row(t0_valid); TASSIGN<0x14600>(ik_b_var_eps_row);  // as a row, same bytes as ik_b_var_eps
        VecF32_1x32 ik_b_var_row(t0_valid); TASSIGN<0x18600>(ik_b_var_row);  // as a row, same bytes as ik_b_var
        pipe_barrier(PIPE_V);
        TADDS(ik_b_var_eps_row, ik_b_var_row, eps);
        VecF32_1x32 ik_b_std_row(t0_valid); TASSIGN<0x14600>(ik_b_std_row);  // as a row, same bytes as ik_b_std
        pipe_barrier(PIPE_V);
        TSQRT(ik_b_std_row, ik_b_var_eps_row);
        VecF32_1x32 ik_b_std_inverse_row(t0_valid); TASSIGN<0x14680>(ik_b_std_inverse_row);  // as a row, same bytes as ik_b_std_inverse
        pipe_barrier(PIPE_V);
        TRECIP(ik_b_std_inverse_row, ik_b_std_row);
        VecF32_32x128 ik_b_unit(t0_valid); TASSIGN<0x10600>(ik_b_unit);  // UB 0x10600..0x14600
        VecF32_32x1 ik_b_std_inverse(t0_valid); TASSIGN<0x14680>(ik_b_std_inverse);  // UB 0x14680..0x14700
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(ik_b_unit, ik_b_c, ik_b_std_inverse);
        VecF32_32x128 ik_b_scaled(t0_valid); TASSIGN<0x10600>(ik_b_scaled);  // UB 0x10600..0x14600
        pipe_barrier(PIPE_V);
        TCOLEXPANDMUL(ik_b_scaled, ik_b_unit, ik_b_gamma);
        VecF32_32x128 ik_b_1(t0_valid); TASSIGN<0x10600>(ik_b_1);  // UB 0x10600..0x14600
        pipe_barrier(PIPE_V);
        TCOLEXPANDADD(ik_b_1, ik_b_scaled, ik_b_beta);
        VecB16_32x128 ik_b(t0_valid); TASSIGN(ik_b, 0x08200 + t0_buffer * 0x02000);  // UB 0x08200..0x0c200, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCVT(ik_b, ik_b_1, RoundMode::CAST_RINT, SaturationMode::ON);
        // ik_r: concat(rope(ik_b[:, :r], cos, sin), ik_b[:, r:], axis=-1)
        VecF32_32x64 ik_r_x(t0_valid); TASSIGN<0x10600>(ik_r_x);  // UB 0x10600..0x12600
        VecB16_32x128_c64 ik_r_1(t0_valid); TASSIGN(ik_r_1, 0x08200 + t0_buffer * 0x02000);  // columns 0.. of ik_b
        pipe_barrier(PIPE_V);
        TCVT(ik_r_x, ik_r_1, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_32x64 ik_r_cos(t0_valid); TASSIGN<0x12600>(ik_r_cos);  // UB 0x12600..0x14600
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        TCVT(ik_r_cos, cos_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_32x64 ik_r_sin(t0_valid); TASSIGN<0x14600>(ik_r_sin);  // UB 0x14600..0x16600
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TCVT(ik_r_sin, sin_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecF32_32x64_c32 ik_r_x1c1(t0_valid); TASSIGN<0x16600>(ik_r_x1c1);  // UB 0x16600..0x18600
        VecF32_32x64_c32 ik_r_x1(t0_valid); TASSIGN<0x10600>(ik_r_x1);  // columns 0.. of ik_r_x
        VecF32_32x64_c32 ik_r_cos1(t0_valid); TASSIGN<0x12600>(ik_r_cos1);  // columns 0.. of ik_r_cos
        pipe_barrier(PIPE_V);
        TMUL(ik_r_x1c1, ik_r_x1, ik_r_cos1);
        VecF32_32x64_c32 ik_r_x2s1(t0_valid); TASSIGN<0x18600>(ik_r_x2s1);  // UB 0x18600..0x1a600
        VecF32_32x64_c32 ik_r_x2(t0_valid); TASSIGN<0x10680>(ik_r_x2);  // columns 32.. of ik_r_x
        VecF32_32x64_c32 ik_r_sin1(t0_valid); TASSIGN<0x14600>(ik_r_sin1);  // columns 0.. of ik_r_sin
        TMUL(ik_r_x2s1, ik_r_x2, ik_r_sin1);
        VecF32_32x64_c32 ik_r_low(t0_valid); TASSIGN<0x1a600>(ik_r_low);  // columns 0.. of ik_r_roped
        pipe_barrier(PIPE_V);
        TSUB(ik_r_low, ik_r_x1c1, ik_r_x2s1);
        VecF32_32x64_c32 ik_r_x2c2(t0_valid); TASSIGN<0x16600>(ik_r_x2c2);  // UB 0x16600..0x18600
        VecF32_32x64_c32 ik_r_cos2(t0_valid); TASSIGN<0x12680>(ik_r_cos2);  // columns 32.. of ik_r_cos
        pipe_barrier(PIPE_V);
        TMUL(ik_r_x2c2, ik_r_x2, ik_r_cos2);
        VecF32_32x64_c32 ik_r_x1s2(t0_valid); TASSIGN<0x10600>(ik_r_x1s2);  // UB 0x10600..0x12600
        VecF32_32x64_c32 ik_r_sin2(t0_valid); TASSIGN<0x14680>(ik_r_sin2);  // columns 32.. of ik_r_sin
        TMUL(ik_r_x1s2, ik_r_x1, ik_r_sin2);
        VecF32_32x64_c32 ik_r_high(t0_valid); TASSIGN<0x1a680>(ik_r_high);  // columns 32.. of ik_r_roped
        pipe_barrier(PIPE_V);
        TADD(ik_r_high, ik_r_x2c2, ik_r_x1s2);
        VecB16_32x128_c64 ik_r_rope(t0_valid); TASSIGN(ik_r_rope, 0x08200 + t0_buffer * 0x02000);  // columns 0.. of ik_b
        VecF32_32x64 ik_r_roped(t0_valid); TASSIGN<0x1a600>(ik_r_roped);  // UB 0x1a600..0x1c600
        pipe_barrier(PIPE_V);
        TCVT(ik_r_rope, ik_r_roped, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        IkRGm ik_r_out(ik_r + int64_t(t0) * 128, {t0_valid});
        TSTORE(ik_r_out, ik_b);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void index_key_rope(
    __gm__ bfloat16_t *ik_r, __gm__ float *ik_f, __gm__ bfloat16_t *ik_gamma, __gm__ bfloat16_t *ik_beta,
    __gm__ bfloat16_t *cos, __gm__ bfloat16_t *sin, float eps, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(
        ik_r, ik_f, ik_gamma, ik_beta, cos, sin, eps, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
