// conv2d_vec4: vector kernel of `conv2d` for cpu. Made by pyptogen; change the spec, not this file.
// stages conv2d; tiles y_windows_axis 1, y_windows_axis_2 1, y_windows_axis_3 1; memory UB 1792 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_28x32_c28 = Tile<TileType::Vec, bfloat16_t, 28, 32, BLayout::RowMajor, 28, 28>;
using YPadded2Gm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 28, 28>, Stride<1, 1, 1, 116, 2>, Layout::DN>;
using YWindowsGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 28, 28>, Stride<1, 1, 1, 28, 1>>;
}  // namespace

extern "C" __global__ AICORE void conv2d_vec4(
    __gm__ bfloat16_t *y_windows,
    __gm__ bfloat16_t *y_padded_2,
    int32_t n_begin,
    int32_t n_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t y_windows_axis0 = n_begin * 64 + block; y_windows_axis0 < n_end * 64; y_windows_axis0 += nblk) {
        for (int32_t y_windows_axis_20 = 0; y_windows_axis_20 < 3; ++y_windows_axis_20) {
            for (int32_t y_windows_axis_30 = 0; y_windows_axis_30 < 3; ++y_windows_axis_30) {
                // y: cast(relu(conv(x, w, strides=2, paddings=1, bias=bias, dtype=fp32)), bf16)
                VecB16_28x32_c28 y_padded_2_tile; TASSIGN(y_padded_2_tile, 0x00000);  // UB 0x00000..0x00700
                YPadded2Gm y_padded_2_in(y_padded_2 + int64_t(y_windows_axis0) * 3364 + int64_t(y_windows_axis_20) * 58 + int64_t(y_windows_axis_30));
                TLOAD(y_padded_2_tile, y_padded_2_in);
                YWindowsGm y_windows_out(y_windows + int64_t(y_windows_axis0) * 7056 + int64_t(y_windows_axis_20) * 2352 + int64_t(y_windows_axis_30) * 784);
                TSTORE(y_windows_out, y_padded_2_tile);
            }
        }
    }
#endif
}
