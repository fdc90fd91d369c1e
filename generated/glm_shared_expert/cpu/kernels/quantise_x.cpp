// quantise_x: vector kernel of `glm_shared_expert` for cpu. Made by pyptogen; change the spec, not this file.
// stages quantise_x; tiles t 8; memory UB 164000 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x5120 = Tile<TileType::Vec, float, 8, 5120, BLayout::RowMajor, DYNAMIC, 5120>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 5120>, Stride<1, 1, 1, 5120, 1>>;
using XScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using XQGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 5120>, Stride<1, 1, 1, 5120, 1>>;
}  // namespace

extern "C" __global__ AICORE void quantise_x(
    __gm__ int8_t *x_q,
    __gm__ float *x_scale,
    __gm__ bfloat16_t *x,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block * 8; t0 < t_end; t0 += nblk * 8) {
        const int32_t t0_valid = t_end - t0 < 8 ? t_end - t0 : 8;
        VecF32_8x5120 x_q_1(t0_valid); TASSIGN(x_q_1, 0x00000);  // UB 0x00000..0x28000
        VecF32_8x1 x_q_m_2(t0_valid); TASSIGN(x_q_m_2, 0x28000);  // UB 0x28000..0x28020
        XGm x_in(x + int64_t(t0) * 5120, {t0_valid});
        TPASS(t0_valid, 5120, [&](auto at, auto &x_q_m_2_max) {
            // x_q, x_scale: quantise(cast(x, fp32))
            const auto x_tile = at.load(x_in);
            at.store(x_q_1, x_tile);
            // m: maximum(amax(abs(v), axis=-1, keepdim=true), 1.0e-30)
            const auto x_q_m_1 = at.abs(x_tile);
            x_q_m_2_max.take(at, x_q_m_1);
        }, RowMax(x_q_m_2));
        VecF32_1x8 x_q_m_row(t0_valid); TASSIGN(x_q_m_row, 0x28040);  // as a row, same bytes as x_q_m
        VecF32_1x8 x_q_m_2_row(t0_valid); TASSIGN(x_q_m_2_row, 0x28000);  // as a row, same bytes as x_q_m_2
        TMAXS(x_q_m_row, x_q_m_2_row, 1e-30f);
        // return: [cast(v * (127 / m), int8, mode=rint), m * 0.007874015748031496]
        VecF32_1x8 x_q_2_row(t0_valid); TASSIGN(x_q_2_row, 0x28000);  // as a row, same bytes as x_q_2
        TDIVS(x_q_2_row, 127.0f, x_q_m_row);
        VecF32_1x8 x_scale_tile_row(t0_valid); TASSIGN(x_scale_tile_row, 0x28080);  // as a row, same bytes as x_scale_tile
        TMULS(x_scale_tile_row, x_q_m_row, 0.007874016f);
        XScaleGm x_scale_out(x_scale + int64_t(t0), {t0_valid});
        TSTORE(x_scale_out, x_scale_tile_row);
        VecF32_8x1 x_q_2(t0_valid); TASSIGN(x_q_2, 0x28000);  // UB 0x28000..0x28020
        XQGm x_q_out(x_q + int64_t(t0) * 5120, {t0_valid});
        TPASS(t0_valid, 5120, [&](auto at) {
            const auto x_q_1_v = at.load(x_q_1);
            const auto x_q_3 = x_q_1_v * at.column(x_q_2);
            at.store(x_q_out, x_q_3);
        });
    }
#endif
}
