// conv2d_mixed: mixed kernel of `conv2d` for cpu. Made by pyptogen; change the spec, not this file.
// stages conv2d; tiles n 1, y_columns_cols 256; memory L0A 147456 B, L0B 294912 B, L0C 131072 B, UB 512 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftB16_128x576 = TileLeft<bfloat16_t, 128, 576, 128, 576>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using RightB16_576x256 = TileRight<bfloat16_t, 576, 256, 576, DYNAMIC>;
using AccF32_128x256 = TileAcc<float, 128, 256, 128, DYNAMIC>;
using VecF32_128x1 = Tile<TileType::Vec, float, 128, 1, BLayout::ColMajor, 128, 1>;
using WGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 576>, Stride<1, 1, 1, 576, 1>>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 0, 1>>;
using YWindowsGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 576, DYNAMIC>, Stride<1, 1, 1, 784, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, 784, 1>>;
}  // namespace

extern "C" __global__ AICORE void conv2d_mixed(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *w,
    __gm__ bfloat16_t *y_windows,
    __gm__ float *bias,
    int32_t n_begin,
    int32_t n_end,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(n_end - n_begin) * 200704);  // y: around the cache if large
    // y: cast(relu(conv(x, w, strides=2, paddings=1, bias=bias, dtype=fp32)), bf16)
    LeftB16_128x576 w_tile; TASSIGN(w_tile, 0x00000);  // L0A 0x00000..0x24000
    WGm w_in(w);
    TLOAD(w_tile, w_in);
    VecF32_1x128 bias_tile_row; TASSIGN(bias_tile_row, 0x00000);  // as a row, same bytes as bias_tile
    BiasGm bias_in(bias);
    TLOAD(bias_tile_row, bias_in);
    for (int32_t n0 = n_begin; n0 < n_end; ++n0) {
        for (int32_t y_columns_cols0 = block * 256; y_columns_cols0 < 784; y_columns_cols0 += nblk * 256) {
            const int32_t y_columns_cols0_valid = 784 - y_columns_cols0 < 256 ? 784 - y_columns_cols0 : 256;
            RightB16_576x256 y_windows_tile(y_columns_cols0_valid); TASSIGN(y_windows_tile, 0x00000);  // L0B 0x00000..0x48000
            YWindowsGm y_windows_in(y_windows + int64_t(n0) * 451584 + int64_t(y_columns_cols0), {y_columns_cols0_valid});
            TLOAD(y_windows_tile, y_windows_in);
            AccF32_128x256 y_conv_acc(y_columns_cols0_valid); TASSIGN(y_conv_acc, 0x00000);  // L0C 0x00000..0x20000
            TMATMUL(y_conv_acc, w_tile, y_windows_tile);
            VecF32_128x1 bias_tile; TASSIGN(bias_tile, 0x00000);  // UB 0x00000..0x00200
            YGm y_out(y + int64_t(n0) * 100352 + int64_t(y_columns_cols0), {y_columns_cols0_valid});
            TPASS(128, y_columns_cols0_valid, [&](auto at) {
                const auto y_conv = at.extract(y_conv_acc, 0);
                const auto y_biased = y_conv + at.column(bias_tile);
                const auto y_positions = at.relu(y_biased);
                at.store(y_out, y_positions, far);
            });
        }
    }
}
