// rope_interleaved_vec1: vector kernel of `rope_interleaved` for cpu. Made by pyptogen; change the spec, not this file.
// stages rope_interleaved; tiles t 1; memory UB 2816 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_16x32 = Tile<TileType::Vec, bfloat16_t, 16, 32, BLayout::RowMajor, 16, 32>;
using VecB16_1x32 = Tile<TileType::Vec, bfloat16_t, 1, 32, BLayout::RowMajor, 1, 32>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 32>, Stride<1, 1, 1, 64, 2>, Layout::DN>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 32>, Stride<1, 1, 1, 64, 2>, Layout::DN>;
using YEvenGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 32>, Stride<1, 1, 1, 32, 1>>;
}  // namespace

extern "C" __global__ AICORE void rope_interleaved_vec1(
    __gm__ bfloat16_t *y_even,
    __gm__ bfloat16_t *y_odd,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        // y: rope(x, cos[:, None, :], sin[:, None, :], interleaved=true)
        VecB16_16x32 x_tile; TASSIGN(x_tile, 0x00000);  // UB 0x00000..0x00400
        XGm x_in(x + int64_t(t0) * 1024);
        TLOAD(x_tile, x_in);
        VecB16_16x32 x_tile_2; TASSIGN(x_tile_2, 0x00400);  // UB 0x00400..0x00800
        XGm x_in_2(x + int64_t(t0) * 1024 + 1);
        TLOAD(x_tile_2, x_in_2);
        VecB16_1x32 cos_tile; TASSIGN(cos_tile, 0x00800);  // UB 0x00800..0x00840
        CosGm cos_in(cos + int64_t(t0) * 64);
        TLOAD(cos_tile, cos_in);
        VecB16_1x32 cos_tile_2; TASSIGN(cos_tile_2, 0x00840);  // UB 0x00840..0x00880
        CosGm cos_in_2(cos + int64_t(t0) * 64 + 1);
        TLOAD(cos_tile_2, cos_in_2);
        VecB16_1x32 sin_tile; TASSIGN(sin_tile, 0x00880);  // UB 0x00880..0x008c0
        CosGm sin_in(sin + int64_t(t0) * 64);
        TLOAD(sin_tile, sin_in);
        VecB16_1x32 sin_tile_2; TASSIGN(sin_tile_2, 0x008c0);  // UB 0x008c0..0x00900
        CosGm sin_in_2(sin + int64_t(t0) * 64 + 1);
        TLOAD(sin_tile_2, sin_in_2);
        VecF32_1x32 y_cos1; TASSIGN(y_cos1, 0x00900);  // UB 0x00900..0x00980
        VecF32_1x32 y_cos2; TASSIGN(y_cos2, 0x00980);  // UB 0x00980..0x00a00
        VecF32_1x32 y_sin1; TASSIGN(y_sin1, 0x00a00);  // UB 0x00a00..0x00a80
        VecF32_1x32 y_sin2; TASSIGN(y_sin2, 0x00a80);  // UB 0x00a80..0x00b00
        TPASS(1, 32, [&](auto at) {
            const auto cos_tile_v = at.load(cos_tile);
            at.store(y_cos1, cos_tile_v);
            const auto cos_tile_2_v = at.load(cos_tile_2);
            at.store(y_cos2, cos_tile_2_v);
            const auto sin_tile_v = at.load(sin_tile);
            at.store(y_sin1, sin_tile_v);
            const auto sin_tile_2_v = at.load(sin_tile_2);
            at.store(y_sin2, sin_tile_2_v);
        });
        YEvenGm y_even_out(y_even + int64_t(t0) * 512);
        YEvenGm y_odd_out(y_odd + int64_t(t0) * 512);
        TPASS(16, 32, [&](auto at) {
            const auto x_tile_v = at.load(x_tile);
            const auto x_tile_2_v = at.load(x_tile_2);
            const auto y_x1c1 = x_tile_v * at.row(y_cos1);
            const auto y_x2s1 = x_tile_2_v * at.row(y_sin1);
            const auto y_low = y_x1c1 - y_x2s1;
            const auto y_x2c2 = x_tile_2_v * at.row(y_cos2);
            const auto y_x1s2 = x_tile_v * at.row(y_sin2);
            const auto y_high = y_x2c2 + y_x1s2;
            at.store(y_even_out, y_low);
            at.store(y_odd_out, y_high);
        });
    }
#endif
}
