// norm: vector kernel of `glm_attention_pre` for cpu. Made by pyptogen; change the spec, not this file.
// stages norm; tiles t 4; memory UB 102560 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x5120 = Tile<TileType::Vec, float, 1, 5120, BLayout::RowMajor, 1, 5120>;
using VecF32_8x5120 = Tile<TileType::Vec, float, 8, 5120, BLayout::RowMajor, DYNAMIC, 5120>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using GammaGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 5120>, Stride<1, 1, 1, 1, 1>>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 5120>, Stride<1, 1, 1, 5120, 1>>;
using NScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using NQGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 5120>, Stride<1, 1, 1, 5120, 1>>;
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
    const FarStores far(int64_t(t_end - t_begin) * 10240);  // sum: around the cache if large
    VecF32_1x5120 n_q_1; TASSIGN(n_q_1, 0x00000);  // UB 0x00000..0x05000
    GammaGm gamma_in(gamma);
    TPASS(1, 5120, [&](auto at) {
        // n_q, n_scale: quantise(rms_norm(s, cast(gamma, fp32), eps=eps))
        const auto gamma_tile = at.load(gamma_in);
        at.store(n_q_1, gamma_tile);
    });
    for (int32_t t0 = t_begin + block * 4; t0 < t_end; t0 += nblk * 4) {
        const int32_t t0_valid = t_end - t0 < 4 ? t_end - t0 : 4;
        VecF32_8x5120 s(t0_valid); TASSIGN(s, 0x05000);  // UB 0x05000..0x19000
        VecF32_8x1 n_q_var(t0_valid); TASSIGN(n_q_var, 0x19000);  // UB 0x19000..0x19020
        XGm x_in(x + int64_t(t0) * 5120, {t0_valid});
        XGm residual_in(residual + int64_t(t0) * 5120, {t0_valid});
        XGm sum_out(sum + int64_t(t0) * 5120, {t0_valid});
        TPASS(t0_valid, 5120, [&](auto at, auto &n_q_var_sum) {
            // s: cast(x, fp32) + cast(residual, fp32)
            const auto x_tile = at.load(x_in);
            const auto residual_tile = at.load(residual_in);
            const auto s_v = x_tile + residual_tile;
            at.store(s, s_v);
            // n_q, n_scale: quantise(rms_norm(s, cast(gamma, fp32), eps=eps))
            const auto n_q_square = s_v * s_v;
            const auto n_q_var_part = n_q_square * 0.0001953125f;
            n_q_var_sum.take(at, n_q_var_part);
            // sum: cast(s, bf16)
            at.store(sum_out, s_v, far);
        }, RowSum(n_q_var));
        // n_q, n_scale: quantise(rms_norm(s, cast(gamma, fp32), eps=eps))
        VecF32_1x8 n_q_var_eps_row(t0_valid); TASSIGN(n_q_var_eps_row, 0x19040);  // as a row, same bytes as n_q_var_eps
        VecF32_1x8 n_q_var_row(t0_valid); TASSIGN(n_q_var_row, 0x19000);  // as a row, same bytes as n_q_var
        TADDS(n_q_var_eps_row, n_q_var_row, eps);
        VecF32_1x8 n_q_std_row(t0_valid); TASSIGN(n_q_std_row, 0x19000);  // as a row, same bytes as n_q_std
        TSQRT(n_q_std_row, n_q_var_eps_row);
        VecF32_8x1 n_q_std(t0_valid); TASSIGN(n_q_std, 0x19000);  // UB 0x19000..0x19020
        VecF32_8x5120 n_q_3(t0_valid); TASSIGN(n_q_3, 0x05000);  // UB 0x05000..0x19000
        VecF32_8x1 n_q_m_2(t0_valid); TASSIGN(n_q_m_2, 0x19040);  // UB 0x19040..0x19060
        TPASS(t0_valid, 5120, [&](auto at, auto &n_q_std_divisor, auto &n_q_m_2_max) {
            const auto s_v = at.load(s);
            const auto n_q_unit = s_v / n_q_std_divisor;
            const auto n_q_3_v = n_q_unit * at.row(n_q_1);
            at.store(n_q_3, n_q_3_v);
            // m: maximum(amax(abs(v), axis=-1, keepdim=true), 1.0e-30)
            const auto n_q_m_1 = at.abs(n_q_3_v);
            n_q_m_2_max.take(at, n_q_m_1);
        }, Divisor(n_q_std), RowMax(n_q_m_2));
        VecF32_1x8 n_q_m_row(t0_valid); TASSIGN(n_q_m_row, 0x19000);  // as a row, same bytes as n_q_m
        VecF32_1x8 n_q_m_2_row(t0_valid); TASSIGN(n_q_m_2_row, 0x19040);  // as a row, same bytes as n_q_m_2
        TMAXS(n_q_m_row, n_q_m_2_row, 1e-30f);
        // return: [cast(v * (127 / m), int8, mode=rint), m * 0.007874015748031496]
        VecF32_1x8 n_q_4_row(t0_valid); TASSIGN(n_q_4_row, 0x19040);  // as a row, same bytes as n_q_4
        TDIVS(n_q_4_row, 127.0f, n_q_m_row);
        VecF32_1x8 n_scale_tile_row(t0_valid); TASSIGN(n_scale_tile_row, 0x19080);  // as a row, same bytes as n_scale_tile
        TMULS(n_scale_tile_row, n_q_m_row, 0.007874016f);
        NScaleGm n_scale_out(n_scale + int64_t(t0), {t0_valid});
        TSTORE(n_scale_out, n_scale_tile_row);
        VecF32_8x1 n_q_4(t0_valid); TASSIGN(n_q_4, 0x19040);  // UB 0x19040..0x19060
        NQGm n_q_out(n_q + int64_t(t0) * 5120, {t0_valid});
        TPASS(t0_valid, 5120, [&](auto at) {
            const auto n_q_3_v = at.load(n_q_3);
            const auto n_q_5 = n_q_3_v * at.column(n_q_4);
            at.store(n_q_out, n_q_5);
        });
    }
#endif
}
