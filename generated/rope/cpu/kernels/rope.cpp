// rope: vector kernel of `rope` for cpu. Made by pyptogen; change the spec, not this file.
// stages rope; tiles t 1; memory UB 1024 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_1x128_c64 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 64>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 128, 1>>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 32, 64>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void rope(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 8192);  // y: around the cache if large
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        VecF32_1x128 y_cos; TASSIGN(y_cos, 0x00000);  // UB 0x00000..0x00200
        VecF32_1x128 y_sin; TASSIGN(y_sin, 0x00200);  // UB 0x00200..0x00400
        CosGm cos_in(cos + int64_t(t0) * 128);
        CosGm sin_in(sin + int64_t(t0) * 128);
        TPASS(1, 128, [&](auto at) {
            // y: rope(x, cos[:, None, :], sin[:, None, :])
            const auto cos_tile = at.load(cos_in);
            at.store(y_cos, cos_tile);
            const auto sin_tile = at.load(sin_in);
            at.store(y_sin, sin_tile);
        });
        VecF32_1x128_c64 y_cos1; TASSIGN(y_cos1, 0x00000);  // columns 0.. of y_cos
        VecF32_1x128_c64 y_sin1; TASSIGN(y_sin1, 0x00200);  // columns 0.. of y_sin
        VecF32_1x128_c64 y_cos2; TASSIGN(y_cos2, 0x00100);  // columns 64.. of y_cos
        VecF32_1x128_c64 y_sin2; TASSIGN(y_sin2, 0x00300);  // columns 64.. of y_sin
        XGm x_in(x + int64_t(t0) * 4096);
        XGm x_in_2(x + int64_t(t0) * 4096 + 64);
        XGm y_out(y + int64_t(t0) * 4096);
        XGm y_out_2(y + int64_t(t0) * 4096 + 64);
        TPASS(32, 64, [&](auto at) {
            const auto x_tile_1 = at.load(x_in);
            const auto x_tile_2 = at.load(x_in_2);
            const auto y_x1c1 = x_tile_1 * at.row(y_cos1);
            const auto y_x2s1 = x_tile_2 * at.row(y_sin1);
            const auto y_low = y_x1c1 - y_x2s1;
            const auto y_x2c2 = x_tile_2 * at.row(y_cos2);
            const auto y_x1s2 = x_tile_1 * at.row(y_sin2);
            const auto y_high = y_x2c2 + y_x1s2;
            at.store(y_out, y_low, far);
            at.store(y_out_2, y_high, far);
        });
    }
#endif
}
