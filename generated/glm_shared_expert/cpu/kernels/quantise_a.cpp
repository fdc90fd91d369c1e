// quantise_a: vector kernel of `glm_shared_expert` for cpu. Made by pyptogen; change the spec, not this file.
// stages quantise_a; tiles t 8; memory UB 49312 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x1536 = Tile<TileType::Vec, float, 8, 1536, BLayout::RowMajor, DYNAMIC, 1536>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using AGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1536>, Stride<1, 1, 1, 1536, 1>>;
using AScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using AQGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 1536>, Stride<1, 1, 1, 1536, 1>>;
}  // namespace

extern "C" __global__ AICORE void quantise_a(
    __gm__ int8_t *a_q,
    __gm__ float *a_scale,
    __gm__ float *a,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block * 8; t0 < t_end; t0 += nblk * 8) {
        const int32_t t0_valid = t_end - t0 < 8 ? t_end - t0 : 8;
        VecF32_8x1536 a_tile(t0_valid); TASSIGN(a_tile, 0x00000);  // UB 0x00000..0x0c000
        VecF32_8x1 a_q_m_2(t0_valid); TASSIGN(a_q_m_2, 0x0c000);  // UB 0x0c000..0x0c020
        AGm a_in(a + int64_t(t0) * 1536, {t0_valid});
        TPASS(t0_valid, 1536, [&](auto at, auto &a_q_m_2_max) {
            // m: maximum(amax(abs(v), axis=-1, keepdim=true), 1.0e-30)
            const auto a_tile_v = at.load(a_in);
            at.store(a_tile, a_tile_v);
            const auto a_q_m_1 = at.abs(a_tile_v);
            a_q_m_2_max.take(at, a_q_m_1);
        }, RowMax(a_q_m_2));
        VecF32_1x8 a_q_m_row(t0_valid); TASSIGN(a_q_m_row, 0x0c040);  // as a row, same bytes as a_q_m
        VecF32_1x8 a_q_m_2_row(t0_valid); TASSIGN(a_q_m_2_row, 0x0c000);  // as a row, same bytes as a_q_m_2
        TMAXS(a_q_m_row, a_q_m_2_row, 1e-30f);
        // return: [cast(v * (127 / m), int8, mode=rint), m * 0.007874015748031496]
        VecF32_1x8 a_q_1_row(t0_valid); TASSIGN(a_q_1_row, 0x0c000);  // as a row, same bytes as a_q_1
        TDIVS(a_q_1_row, 127.0f, a_q_m_row);
        VecF32_1x8 a_scale_tile_row(t0_valid); TASSIGN(a_scale_tile_row, 0x0c080);  // as a row, same bytes as a_scale_tile
        TMULS(a_scale_tile_row, a_q_m_row, 0.007874016f);
        AScaleGm a_scale_out(a_scale + int64_t(t0), {t0_valid});
        TSTORE(a_scale_out, a_scale_tile_row);
        VecF32_8x1 a_q_1(t0_valid); TASSIGN(a_q_1, 0x0c000);  // UB 0x0c000..0x0c020
        AQGm a_q_out(a_q + int64_t(t0) * 1536, {t0_valid});
        TPASS(t0_valid, 1536, [&](auto at) {
            const auto a_tile_v = at.load(a_tile);
            const auto a_q_2 = a_tile_v * at.column(a_q_1);
            at.store(a_q_out, a_q_2);
        });
    }
#endif
}
