// rope: vector kernel of `rope` for cpu. Made by pyptogen; change the spec, not this file.
// stages rope; tiles t 1; memory UB 33792 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, 32, 128>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_32x128_c64 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, 32, 64>;
using VecF32_1x128_c64 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 64>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 32, 128>, Stride<1, 1, 1, 128, 1>>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 128, 1>>;
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
        VecF32_32x128 y_x; TASSIGN(y_x, 0x00000);  // UB 0x00000..0x04000
        XGm x_in(x + int64_t(t0) * 4096);
        TPASS(32, 128, [&](auto at) {
            // y: rope(x, cos[:, None, :], sin[:, None, :])  [rope.yaml:18]
            const auto x_tile = at.load(x_in);
            at.store(y_x, x_tile);
        });
        VecF32_1x128 y_cos; TASSIGN(y_cos, 0x04000);  // UB 0x04000..0x04200
        VecF32_1x128 y_sin; TASSIGN(y_sin, 0x04200);  // UB 0x04200..0x04400
        CosGm cos_in(cos + int64_t(t0) * 128);
        CosGm sin_in(sin + int64_t(t0) * 128);
        TPASS(1, 128, [&](auto at) {
            const auto cos_tile = at.load(cos_in);
            at.store(y_cos, cos_tile);
            const auto sin_tile = at.load(sin_in);
            at.store(y_sin, sin_tile);
        });
        VecF32_32x128_c64 y_x1; TASSIGN(y_x1, 0x00000);  // columns 0.. of y_x
        VecF32_1x128_c64 y_cos1; TASSIGN(y_cos1, 0x04000);  // columns 0.. of y_cos
        VecF32_32x128_c64 y_x2; TASSIGN(y_x2, 0x00100);  // columns 64.. of y_x
        VecF32_1x128_c64 y_sin1; TASSIGN(y_sin1, 0x04200);  // columns 0.. of y_sin
        VecF32_32x128_c64 y_low; TASSIGN(y_low, 0x04400);  // columns 0.. of y_roped
        VecF32_1x128_c64 y_cos2; TASSIGN(y_cos2, 0x04100);  // columns 64.. of y_cos
        VecF32_1x128_c64 y_sin2; TASSIGN(y_sin2, 0x04300);  // columns 64.. of y_sin
        VecF32_32x128_c64 y_high; TASSIGN(y_high, 0x04500);  // columns 64.. of y_roped
        TPASS(32, 64, [&](auto at) {
            const auto y_x1_v = at.load(y_x1);
            const auto y_x1c1 = y_x1_v * at.row(y_cos1);
            const auto y_x2_v = at.load(y_x2);
            const auto y_x2s1 = y_x2_v * at.row(y_sin1);
            const auto y_low_v = y_x1c1 - y_x2s1;
            at.store(y_low, y_low_v);
            const auto y_x2c2 = y_x2_v * at.row(y_cos2);
            const auto y_x1s2 = y_x1_v * at.row(y_sin2);
            const auto y_high_v = y_x2c2 + y_x1s2;
            at.store(y_high, y_high_v);
        });
        VecF32_32x128 y_roped; TASSIGN(y_roped, 0x04400);  // UB 0x04400..0x08400
        XGm y_out(y + int64_t(t0) * 4096);
        TPASS(32, 128, [&](auto at) {
            const auto y_roped_v = at.load(y_roped);
            at.store(y_out, y_roped_v, far);
        });
    }
#endif
}
