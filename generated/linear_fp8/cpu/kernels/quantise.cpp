// quantise: vector kernel of `linear_fp8` for cpu. Made by pyptogen; change the spec, not this file.
// stages quantise; tiles t 2; memory UB 20544 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x2048 = Tile<TileType::Vec, float, 8, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecE4m3_8x2048 = Tile<TileType::Vec, float8_e4m3_t, 8, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 2048>, Stride<1, 1, 1, 2048, 1>>;
using XScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using XQGm = GlobalTensor<float8_e4m3_t, Shape<1, 1, 1, DYNAMIC, 2048>, Stride<1, 1, 1, 2048, 1>>;
}  // namespace

extern "C" __global__ AICORE void quantise(
    __gm__ float *x_scale,
    __gm__ float8_e4m3_t *x_q,
    __gm__ bfloat16_t *x,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block * 2; t0 < t_end; t0 += nblk * 2) {
        const int32_t t0_valid = t_end - t0 < 2 ? t_end - t0 : 2;
        VecF32_8x2048 x_f(t0_valid); TASSIGN(x_f, 0x00000);  // UB 0x00000..0x04000
        VecF32_8x1 x_scale_2(t0_valid); TASSIGN(x_scale_2, 0x04000);  // UB 0x04000..0x04020
        XGm x_in(x + int64_t(t0) * 2048, {t0_valid});
        TPASS(t0_valid, 2048, [&](auto at, auto &x_scale_2_max) {
            // x_f:     cast(x, fp32)
            const auto x_tile = at.load(x_in);
            at.store(x_f, x_tile);
            // x_scale: maximum(amax(abs(x_f), axis=-1, keepdim=true), 1.0e-12) / 448
            const auto x_scale_1 = at.abs(x_tile);
            x_scale_2_max.take(at, x_scale_1);
        }, RowMax(x_scale_2));
        VecF32_1x8 x_scale_3_row(t0_valid); TASSIGN(x_scale_3_row, 0x04040);  // as a row, same bytes as x_scale_3
        VecF32_1x8 x_scale_2_row(t0_valid); TASSIGN(x_scale_2_row, 0x04000);  // as a row, same bytes as x_scale_2
        TMAXS(x_scale_3_row, x_scale_2_row, 1e-12f);
        VecF32_1x8 x_scale_tile_row(t0_valid); TASSIGN(x_scale_tile_row, 0x04000);  // as a row, same bytes as x_scale_tile
        TDIVS(x_scale_tile_row, x_scale_3_row, 448.0f);
        // x_q:     cast(x_f / x_scale, fp8_e4m3)
        VecF32_8x2048 x_q_1(t0_valid); TASSIGN(x_q_1, 0x00000);  // UB 0x00000..0x04000
        VecF32_8x1 x_scale_tile(t0_valid); TASSIGN(x_scale_tile, 0x04000);  // UB 0x04000..0x04020
        TROWEXPANDDIV(x_q_1, x_f, x_scale_tile);
        VecE4m3_8x2048 x_q_tile(t0_valid); TASSIGN(x_q_tile, 0x04040);  // UB 0x04040..0x05040
        TCVT(x_q_tile, x_q_1, RoundMode::CAST_RINT);
        // x_scale: maximum(amax(abs(x_f), axis=-1, keepdim=true), 1.0e-12) / 448
        XScaleGm x_scale_out(x_scale + int64_t(t0), {t0_valid});
        TSTORE(x_scale_out, x_scale_tile_row);
        // x_q:     cast(x_f / x_scale, fp8_e4m3)
        XQGm x_q_out(x_q + int64_t(t0) * 2048, {t0_valid});
        TSTORE(x_q_out, x_q_tile);
    }
#endif
}
