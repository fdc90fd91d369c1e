// query_norm: vector kernel of `mla_prolog` for cpu. Made by pyptogen; change the spec, not this file.
// stages query_norm; tiles t 8; memory UB 55456 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x1536 = Tile<TileType::Vec, float, 1, 1536, BLayout::RowMajor, 1, 1536>;
using VecF32_8x1536 = Tile<TileType::Vec, float, 8, 1536, BLayout::RowMajor, DYNAMIC, 1536>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using QGammaGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 1536>, Stride<1, 1, 1, 1, 1>>;
using QCGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1536>, Stride<1, 1, 1, 1536, 1>>;
using QNormScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using QNormGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 1536>, Stride<1, 1, 1, 1536, 1>>;
}  // namespace

extern "C" __global__ AICORE void query_norm(
    __gm__ int8_t *q_norm,
    __gm__ float *q_norm_scale,
    __gm__ bfloat16_t *q_gamma,
    __gm__ float *q_c,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 1536);  // q_norm: around the cache if large
    VecF32_1x1536 q_norm_1; TASSIGN(q_norm_1, 0x00000);  // UB 0x00000..0x01800
    QGammaGm q_gamma_in(q_gamma);
    TPASS(1, 1536, [&](auto at) {
        // q_norm, q_norm_scale: quantise(rms_norm(q_c, cast(q_gamma, fp32), eps=eps))
        const auto q_gamma_tile = at.load(q_gamma_in);
        at.store(q_norm_1, q_gamma_tile);
    });
    for (int32_t t0 = t_begin + block * 8; t0 < t_end; t0 += nblk * 8) {
        const int32_t t0_valid = t_end - t0 < 8 ? t_end - t0 : 8;
        VecF32_8x1536 q_c_tile(t0_valid); TASSIGN(q_c_tile, 0x01800);  // UB 0x01800..0x0d800
        VecF32_8x1 q_norm_var(t0_valid); TASSIGN(q_norm_var, 0x0d800);  // UB 0x0d800..0x0d820
        QCGm q_c_in(q_c + int64_t(t0) * 1536, {t0_valid});
        TPASS(t0_valid, 1536, [&](auto at, auto &q_norm_var_sum) {
            const auto q_c_tile_v = at.load(q_c_in);
            at.store(q_c_tile, q_c_tile_v);
            const auto q_norm_square = q_c_tile_v * q_c_tile_v;
            const auto q_norm_var_part = q_norm_square * 0.0006510417f;
            q_norm_var_sum.take(at, q_norm_var_part);
        }, RowSum(q_norm_var));
        VecF32_1x8 q_norm_var_eps_row(t0_valid); TASSIGN(q_norm_var_eps_row, 0x0d840);  // as a row, same bytes as q_norm_var_eps
        VecF32_1x8 q_norm_var_row(t0_valid); TASSIGN(q_norm_var_row, 0x0d800);  // as a row, same bytes as q_norm_var
        TADDS(q_norm_var_eps_row, q_norm_var_row, eps);
        VecF32_1x8 q_norm_std_row(t0_valid); TASSIGN(q_norm_std_row, 0x0d800);  // as a row, same bytes as q_norm_std
        TSQRT(q_norm_std_row, q_norm_var_eps_row);
        VecF32_8x1 q_norm_std(t0_valid); TASSIGN(q_norm_std, 0x0d800);  // UB 0x0d800..0x0d820
        VecF32_8x1536 q_norm_3(t0_valid); TASSIGN(q_norm_3, 0x01800);  // UB 0x01800..0x0d800
        VecF32_8x1 q_norm_m_2(t0_valid); TASSIGN(q_norm_m_2, 0x0d840);  // UB 0x0d840..0x0d860
        TPASS(t0_valid, 1536, [&](auto at, auto &q_norm_std_divisor, auto &q_norm_m_2_max) {
            at.ask_between(q_c_in, nblk * 8);  // the next iteration's
            const auto q_c_tile_v = at.load(q_c_tile);
            const auto q_norm_unit = q_c_tile_v / q_norm_std_divisor;
            const auto q_norm_3_v = q_norm_unit * at.row(q_norm_1);
            at.store(q_norm_3, q_norm_3_v);
            // m: maximum(amax(abs(v), axis=-1, keepdim=true), 1.0e-30)
            const auto q_norm_m_1 = at.abs(q_norm_3_v);
            q_norm_m_2_max.take(at, q_norm_m_1);
        }, Divisor(q_norm_std), RowMax(q_norm_m_2));
        VecF32_1x8 q_norm_m_row(t0_valid); TASSIGN(q_norm_m_row, 0x0d800);  // as a row, same bytes as q_norm_m
        VecF32_1x8 q_norm_m_2_row(t0_valid); TASSIGN(q_norm_m_2_row, 0x0d840);  // as a row, same bytes as q_norm_m_2
        TMAXS(q_norm_m_row, q_norm_m_2_row, 1e-30f);
        // return: [cast(v * (127 / m), int8, mode=rint), m * 0.007874015748031496]
        VecF32_1x8 q_norm_4_row(t0_valid); TASSIGN(q_norm_4_row, 0x0d840);  // as a row, same bytes as q_norm_4
        TDIVS(q_norm_4_row, 127.0f, q_norm_m_row);
        VecF32_1x8 q_norm_scale_tile_row(t0_valid); TASSIGN(q_norm_scale_tile_row, 0x0d880);  // as a row, same bytes as q_norm_scale_tile
        TMULS(q_norm_scale_tile_row, q_norm_m_row, 0.007874016f);
        QNormScaleGm q_norm_scale_out(q_norm_scale + int64_t(t0), {t0_valid});
        TSTORE(q_norm_scale_out, q_norm_scale_tile_row);
        VecF32_8x1 q_norm_4(t0_valid); TASSIGN(q_norm_4, 0x0d840);  // UB 0x0d840..0x0d860
        QNormGm q_norm_out(q_norm + int64_t(t0) * 1536, {t0_valid});
        TPASS(t0_valid, 1536, [&](auto at) {
            const auto q_norm_3_v = at.load(q_norm_3);
            const auto q_norm_5 = q_norm_3_v * at.column(q_norm_4);
            at.store(q_norm_out, q_norm_5, far);
        });
    }
#endif
}
