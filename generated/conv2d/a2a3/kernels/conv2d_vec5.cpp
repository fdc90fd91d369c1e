// conv2d_vec5: vector kernel of `conv2d` for a2a3. Made by pyptogen; change the spec, not this file.
// stages conv2d; tiles n 1, oc 32; memory UB 150528 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_32x784 = Tile<TileType::Vec, float, 32, 784, BLayout::RowMajor, 32, 784>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32>;
using VecF32_32x1 = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, 32, 1>;
using VecB16_32x784 = Tile<TileType::Vec, bfloat16_t, 32, 784, BLayout::RowMajor, 32, 784>;
using YConvGm = GlobalTensor<float, Shape<1, 1, 1, 32, 784>, Stride<1, 1, 1, 784, 1>>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, 32>, Stride<1, 1, 1, 0, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 32, 784>, Stride<1, 1, 1, 784, 1>>;
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
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free for the first round
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free for the first round
    for (int32_t n0 = n_begin + block; n0 < n_end; n0 += nblk) {
        for (int32_t oc0 = 0; oc0 < 128; oc0 += 32) {
            // y: cast(relu(conv(x, w, strides=2, paddings=1, bias=bias, dtype=fp32)), bf16)  [conv2d.yaml:20]
            VecF32_32x784 y_conv_tile; TASSIGN(y_conv_tile, 0x00000);  // UB 0x00000..0x18800
            wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free again
            YConvGm y_conv_in(y_conv + int64_t(n0) * 100352 + int64_t(oc0) * 784);
            TLOAD(y_conv_tile, y_conv_in);
            VecF32_1x32 bias_tile_row; TASSIGN(bias_tile_row, 0x18800);  // as a row, same bytes as bias_tile
            wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free again
            BiasGm bias_in(bias + int64_t(oc0));
            TLOAD(bias_tile_row, bias_in);
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
            VecF32_32x784 y_biased; TASSIGN(y_biased, 0x00000);  // UB 0x00000..0x18800
            VecF32_32x1 bias_tile; TASSIGN(bias_tile, 0x18800);  // UB 0x18800..0x18880
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
            TROWEXPANDADD(y_biased, y_conv_tile, bias_tile);
            VecF32_32x784 y_places; TASSIGN(y_places, 0x00000);  // UB 0x00000..0x18800
            pipe_barrier(PIPE_V);
            TRELU(y_places, y_biased);
            VecB16_32x784 y_1; TASSIGN(y_1, 0x18800);  // UB 0x18800..0x24c00
            pipe_barrier(PIPE_V);
            TCVT(y_1, y_places, RoundMode::CAST_RINT);
            set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
            set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
            wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
            YGm y_out(y + int64_t(n0) * 100352 + int64_t(oc0) * 784);
            TSTORE(y_out, y_1);
            set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // of the last round
#endif
}
