// conv2d_vec5: vector kernel of `conv2d` for cpu. Made by pyptogen; change the spec, not this file.
// stages conv2d; tiles n 1, oc 1; memory UB 3776 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x8_c1 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;
using VecF32_1x32_c28 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 28>;
using VecF32_8x1_r1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1>;
using VecB16_32x32_c28_r28 = Tile<TileType::Vec, bfloat16_t, 32, 32, BLayout::RowMajor, 28, 28>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 0, 1>>;
using YConvGm = GlobalTensor<float, Shape<1, 1, 1, 28, 28>, Stride<1, 1, 1, 28, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 28, 28>, Stride<1, 1, 1, 28, 1>>;
}  // namespace

extern "C" __global__ AICORE void conv2d_vec5(
    __gm__ bfloat16_t *y,
    __gm__ float *y_conv,
    __gm__ float *bias,
    int32_t n_begin,
    int32_t n_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t n0 = n_begin; n0 < n_end; ++n0) {
        for (int32_t oc0 = block; oc0 < 128; oc0 += nblk) {
            // y: relu(conv(x, w, strides=2, paddings=1, bias=bias))  [conv2d.yaml:20]
            VecF32_1x8_c1 bias_tile_row; TASSIGN(bias_tile_row, 0x00000);  // as a row, same bytes as bias_tile
            BiasGm bias_in(bias + int64_t(oc0));
            TLOAD(bias_tile_row, bias_in);
            VecF32_1x32_c28 bias_tile_wide; TASSIGN(bias_tile_wide, 0x00040);  // UB 0x00040..0x000c0
            VecF32_8x1_r1 bias_tile; TASSIGN(bias_tile, 0x00000);  // UB 0x00000..0x00020
            TROWEXPAND(bias_tile_wide, bias_tile);
            VecB16_32x32_c28_r28 y_37; TASSIGN(y_37, 0x000c0);  // UB 0x000c0..0x007c0
            YConvGm y_conv_in(y_conv + int64_t(n0) * 100352 + int64_t(oc0) * 784);
            TPASS(28, 28, [&](auto at) {
                const auto y_conv_tile = at.load(y_conv_in);
                const auto y_biased = y_conv_tile + at.row(bias_tile_wide);
                at.store(y_37, y_biased);
            });
            VecB16_32x32_c28_r28 y_tile; TASSIGN(y_tile, 0x007c0);  // UB 0x007c0..0x00ec0
            TRELU(y_tile, y_37);
            YGm y_out(y + int64_t(n0) * 100352 + int64_t(oc0) * 784);
            TSTORE(y_out, y_tile);
        }
    }
#endif
}
