// rope_interleaved_vec2: vector kernel of `rope_interleaved` for cpu. Made by pyptogen; change the spec, not this file.
// stages rope_interleaved; tiles t 1; memory UB 4608 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_16x32 = Tile<TileType::Vec, float, 16, 32, BLayout::RowMajor, 16, 32>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32>;
using YXGm = GlobalTensor<float, Shape<1, 1, 1, 16, 32>, Stride<1, 1, 1, 64, 2>, Layout::DN>;
using YCosGm = GlobalTensor<float, Shape<1, 1, 1, 1, 32>, Stride<1, 1, 1, 64, 2>, Layout::DN>;
using YLowGm = GlobalTensor<float, Shape<1, 1, 1, 16, 32>, Stride<1, 1, 1, 32, 1>>;
}  // namespace

extern "C" __global__ AICORE void rope_interleaved_vec2(
    __gm__ float *y_low,
    __gm__ float *y_high,
    __gm__ float *y_x,
    __gm__ float *y_cos,
    __gm__ float *y_sin,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        // y: rope(x, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_interleaved.yaml:18]
        VecF32_16x32 y_x_tile; TASSIGN(y_x_tile, 0x00000);  // UB 0x00000..0x00800
        YXGm y_x_in(y_x + int64_t(t0) * 1024);
        TLOAD(y_x_tile, y_x_in);
        VecF32_1x32 y_cos_tile; TASSIGN(y_cos_tile, 0x00800);  // UB 0x00800..0x00880
        YCosGm y_cos_in(y_cos + int64_t(t0) * 64);
        TLOAD(y_cos_tile, y_cos_in);
        VecF32_16x32 y_x_tile_2; TASSIGN(y_x_tile_2, 0x00880);  // UB 0x00880..0x01080
        YXGm y_x_in_2(y_x + int64_t(t0) * 1024 + 1);
        TLOAD(y_x_tile_2, y_x_in_2);
        VecF32_1x32 y_sin_tile; TASSIGN(y_sin_tile, 0x01080);  // UB 0x01080..0x01100
        YCosGm y_sin_in(y_sin + int64_t(t0) * 64);
        TLOAD(y_sin_tile, y_sin_in);
        VecF32_1x32 y_cos_tile_2; TASSIGN(y_cos_tile_2, 0x01100);  // UB 0x01100..0x01180
        YCosGm y_cos_in_2(y_cos + int64_t(t0) * 64 + 1);
        TLOAD(y_cos_tile_2, y_cos_in_2);
        VecF32_1x32 y_sin_tile_2; TASSIGN(y_sin_tile_2, 0x01180);  // UB 0x01180..0x01200
        YCosGm y_sin_in_2(y_sin + int64_t(t0) * 64 + 1);
        TLOAD(y_sin_tile_2, y_sin_in_2);
        YLowGm y_low_out(y_low + int64_t(t0) * 512);
        YLowGm y_high_out(y_high + int64_t(t0) * 512);
        TPASS(16, 32, [&](auto at) {
            const auto y_x_tile_v = at.load(y_x_tile);
            const auto y_x1c1 = y_x_tile_v * at.row(y_cos_tile);
            const auto y_x_tile_2_v = at.load(y_x_tile_2);
            const auto y_x2s1 = y_x_tile_2_v * at.row(y_sin_tile);
            const auto y_low_tile = y_x1c1 - y_x2s1;
            const auto y_x2c2 = y_x_tile_2_v * at.row(y_cos_tile_2);
            const auto y_x1s2 = y_x_tile_v * at.row(y_sin_tile_2);
            const auto y_high_tile = y_x2c2 + y_x1s2;
            at.store(y_low_out, y_low_tile);
            at.store(y_high_out, y_high_tile);
        });
    }
#endif
}
