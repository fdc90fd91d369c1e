// norm: vector kernel of `glm_attention_pre` for cpu. Made by pyptogen; change the spec, not this file.
// stages norm; tiles t 4; memory UB 235520 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x5120 = Tile<TileType::Vec, bfloat16_t, 1, 5120, BLayout::RowMajor, 1, 5120>;
using VecF32_1x5120 = Tile<TileType::Vec, float, 1, 5120, BLayout::RowMajor, 1, 5120>;
using VecB16_8x5120 = Tile<TileType::Vec, bfloat16_t, 8, 5120, BLayout::RowMajor, DYNAMIC, 5120>;
using VecF32_8x5120 = Tile<TileType::Vec, float, 8, 5120, BLayout::RowMajor, DYNAMIC, 5120>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_8x128 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecI8_8x5120 = Tile<TileType::Vec, int8_t, 8, 5120, BLayout::RowMajor, DYNAMIC, 5120>;
using GammaGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 5120>, Stride<1, 1, 1, 1, 1>>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 5120>, Stride<1, 1, 1, 5120, 1>>;
using NQGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 5120>, Stride<1, 1, 1, 5120, 1>>;
using NScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
}  // namespace

extern "C" __global__ AICORE void norm(
    __gm__ bfloat16_t *sum,
    __gm__ int8_t *n_q,
    __gm__ float *n_scale,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *residual,
    __gm__ bfloat16_t *gamma,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // n_q, n_scale: quantise(rms_norm(s, cast(gamma, fp32), eps=eps))  [glm_attention_pre.yaml:55]
    VecB16_1x5120 gamma_tile; TASSIGN(gamma_tile, 0x00000);  // UB 0x00000..0x02800
    GammaGm gamma_in(gamma);
    TLOAD(gamma_tile, gamma_in);
    VecF32_1x5120 n_q_1; TASSIGN(n_q_1, 0x02800);  // UB 0x02800..0x07800
    TCVT(n_q_1, gamma_tile, RoundMode::CAST_RINT);
    for (int32_t t0 = t_begin + block * 4; t0 < t_end; t0 += nblk * 4) {
        const int32_t t0_valid = t_end - t0 < 4 ? t_end - t0 : 4;
        // s: cast(x, fp32) + cast(residual, fp32)  [glm_attention_pre.yaml:53]
        VecB16_8x5120 x_tile(t0_valid); TASSIGN(x_tile, 0x07800);  // UB 0x07800..0x11800
        XGm x_in(x + int64_t(t0) * 5120, {t0_valid});
        TLOAD(x_tile, x_in);
        VecF32_8x5120 s_1(t0_valid); TASSIGN(s_1, 0x11800);  // UB 0x11800..0x25800
        TCVT(s_1, x_tile, RoundMode::CAST_RINT);
        VecB16_8x5120 residual_tile(t0_valid); TASSIGN(residual_tile, 0x07800);  // UB 0x07800..0x11800
        XGm residual_in(residual + int64_t(t0) * 5120, {t0_valid});
        TLOAD(residual_tile, residual_in);
        VecF32_8x5120 s_2(t0_valid); TASSIGN(s_2, 0x25800);  // UB 0x25800..0x39800
        TCVT(s_2, residual_tile, RoundMode::CAST_RINT);
        VecF32_8x5120 s(t0_valid); TASSIGN(s, 0x11800);  // UB 0x11800..0x25800
        TADD(s, s_1, s_2);
        // sum: cast(s, bf16)  [glm_attention_pre.yaml:54]
        VecB16_8x5120 sum_tile(t0_valid); TASSIGN(sum_tile, 0x07800);  // UB 0x07800..0x11800
        TCVT(sum_tile, s, RoundMode::CAST_RINT);
        // n_q, n_scale: quantise(rms_norm(s, cast(gamma, fp32), eps=eps))  [glm_attention_pre.yaml:55]
        VecF32_8x5120 n_q_square(t0_valid); TASSIGN(n_q_square, 0x25800);  // UB 0x25800..0x39800
        TMUL(n_q_square, s, s);
        VecF32_8x5120 n_q_var_part(t0_valid); TASSIGN(n_q_var_part, 0x25800);  // UB 0x25800..0x39800
        TMULS(n_q_var_part, n_q_square, 0.0001953125f);
        VecF32_8x1 n_q_var(t0_valid); TASSIGN(n_q_var, 0x00000);  // UB 0x00000..0x00020
        VecF32_8x128 n_q_var_tmp(t0_valid); TASSIGN(n_q_var_tmp, 0x00020);  // UB 0x00020..0x00820
        TROWSUM(n_q_var, n_q_var_part, n_q_var_tmp);
        VecF32_1x8 n_q_var_eps_row(t0_valid); TASSIGN(n_q_var_eps_row, 0x00000);  // as a row, same bytes as n_q_var_eps
        VecF32_1x8 n_q_var_row(t0_valid); TASSIGN(n_q_var_row, 0x00000);  // as a row, same bytes as n_q_var
        TADDS(n_q_var_eps_row, n_q_var_row, eps);
        VecF32_1x8 n_q_std_row(t0_valid); TASSIGN(n_q_std_row, 0x00000);  // as a row, same bytes as n_q_std
        TSQRT(n_q_std_row, n_q_var_eps_row);
        VecF32_8x5120 n_q_unit(t0_valid); TASSIGN(n_q_unit, 0x11800);  // UB 0x11800..0x25800
        VecF32_8x1 n_q_std(t0_valid); TASSIGN(n_q_std, 0x00000);  // UB 0x00000..0x00020
        TROWEXPANDDIV(n_q_unit, s, n_q_std);
        VecF32_8x5120 n_q_3(t0_valid); TASSIGN(n_q_3, 0x11800);  // UB 0x11800..0x25800
        TCOLEXPANDMUL(n_q_3, n_q_unit, n_q_1);
        // m: maximum(amax(abs(v), axis=-1, keepdim=true), 1.0e-30)  [glm_attention_pre.yaml:48]
        VecF32_8x5120 n_q_m_1(t0_valid); TASSIGN(n_q_m_1, 0x25800);  // UB 0x25800..0x39800
        TABS(n_q_m_1, n_q_3);
        VecF32_8x1 n_q_m_2(t0_valid); TASSIGN(n_q_m_2, 0x00000);  // UB 0x00000..0x00020
        VecF32_8x128 n_q_m_2_tmp(t0_valid); TASSIGN(n_q_m_2_tmp, 0x00020);  // UB 0x00020..0x00820
        TROWMAX(n_q_m_2, n_q_m_1, n_q_m_2_tmp);
        VecF32_1x8 n_q_m_row(t0_valid); TASSIGN(n_q_m_row, 0x00000);  // as a row, same bytes as n_q_m
        VecF32_1x8 n_q_m_2_row(t0_valid); TASSIGN(n_q_m_2_row, 0x00000);  // as a row, same bytes as n_q_m_2
        TMAXS(n_q_m_row, n_q_m_2_row, 1e-30f);
        // return: [cast(v * (127 / m), int8, mode=rint), m * 0.007874015748031496]  [glm_attention_pre.yaml:49]
        VecF32_1x8 n_q_4_row(t0_valid); TASSIGN(n_q_4_row, 0x00020);  // as a row, same bytes as n_q_4
        TDIVS(n_q_4_row, 127.0f, n_q_m_row);
        VecF32_8x5120 n_q_5(t0_valid); TASSIGN(n_q_5, 0x11800);  // UB 0x11800..0x25800
        VecF32_8x1 n_q_4(t0_valid); TASSIGN(n_q_4, 0x00020);  // UB 0x00020..0x00040
        TROWEXPANDMUL(n_q_5, n_q_3, n_q_4);
        VecI8_8x5120 n_q_tile(t0_valid); TASSIGN(n_q_tile, 0x25800);  // UB 0x25800..0x2a800
        TCVT(n_q_tile, n_q_5, RoundMode::CAST_RINT);
        VecF32_1x8 n_scale_tile_row(t0_valid); TASSIGN(n_scale_tile_row, 0x00000);  // as a row, same bytes as n_scale_tile
        TMULS(n_scale_tile_row, n_q_m_row, 0.007874016f);
        // sum: cast(s, bf16)  [glm_attention_pre.yaml:54]
        XGm sum_out(sum + int64_t(t0) * 5120, {t0_valid});
        TSTORE(sum_out, sum_tile);
        // return: [cast(v * (127 / m), int8, mode=rint), m * 0.007874015748031496]  [glm_attention_pre.yaml:49]
        NQGm n_q_out(n_q + int64_t(t0) * 5120, {t0_valid});
        TSTORE(n_q_out, n_q_tile);
        NScaleGm n_scale_out(n_scale + int64_t(t0), {t0_valid});
        TSTORE(n_scale_out, n_scale_tile_row);
    }
#endif
}
