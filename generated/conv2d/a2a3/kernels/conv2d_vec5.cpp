// conv2d_vec5: vector kernel of `conv2d` for a2a3. Made by pyptogen; change the spec, not this file.
// stages conv2d; tiles n 1, oc 16; memory UB 150656 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_16x784 = Tile<TileType::Vec, float, 16, 784, BLayout::RowMajor, 16, 784>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1>;
using VecB16_16x784 = Tile<TileType::Vec, bfloat16_t, 16, 784, BLayout::RowMajor, 16, 784>;
using YConvGm = GlobalTensor<float, Shape<1, 1, 1, 16, 784>, Stride<1, 1, 1, 784, 1>>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 0, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 784>, Stride<1, 1, 1, 784, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y,
    __gm__ float *y_conv,
    __gm__ float *bias,
    int32_t n_begin,
    int32_t n_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t oc0_buffer = 0;  // which of 2 buffers this iteration of oc0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (n_end - n_begin) * 8;  // of n0 and oc0
    for (int32_t tile = block; tile < tiles; tile += nblk, oc0_buffer ^= 1) {
        const int32_t n0 = n_begin + tile / 8;
        const int32_t oc0 = tile % 8 * 16;
        // y: cast(relu(conv(x, w, strides=2, paddings=1, bias=bias, dtype=fp32)), bf16)
        VecF32_16x784 y_conv_tile; TASSIGN(y_conv_tile, 0x00000 + oc0_buffer * 0x0c400);  // UB 0x00000..0x18800, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(oc0_buffer));  // free again
        YConvGm y_conv_in(y_conv + int64_t(n0) * 100352 + int64_t(oc0) * 784);
        TLOAD(y_conv_tile, y_conv_in);
        VecF32_1x16 bias_tile_row; TASSIGN(bias_tile_row, 0x18800 + oc0_buffer * 0x00040);  // as a row, same bytes as bias_tile
        BiasGm bias_in(bias + int64_t(oc0));
        TLOAD(bias_tile_row, bias_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(oc0_buffer));
        VecF32_16x784 y_biased; TASSIGN(y_biased, 0x00000 + oc0_buffer * 0x0c400);  // UB 0x00000..0x18800, 2 copies
        VecF32_16x1 bias_tile; TASSIGN(bias_tile, 0x18800 + oc0_buffer * 0x00040);  // UB 0x18800..0x18880, 2 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(oc0_buffer));
        TROWEXPANDADD(y_biased, y_conv_tile, bias_tile);
        VecF32_16x784 y_positions; TASSIGN(y_positions, 0x00000 + oc0_buffer * 0x0c400);  // UB 0x00000..0x18800, 2 copies
        pipe_barrier(PIPE_V);
        TRELU(y_positions, y_biased);
        VecB16_16x784 y_1; TASSIGN(y_1, 0x18880 + oc0_buffer * 0x06200);  // UB 0x18880..0x24c80, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(oc0_buffer));  // free again
        TCVT(y_1, y_positions, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(oc0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(oc0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(oc0_buffer));
        YGm y_out(y + int64_t(n0) * 100352 + int64_t(oc0) * 784);
        TSTORE(y_out, y_1);
        set_flag(PIPE_MTE3, PIPE_V, event_t(oc0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void conv2d_vec5(
    __gm__ bfloat16_t *y, __gm__ float *y_conv, __gm__ float *bias, int32_t n_begin, int32_t n_end, int32_t nblk)
{
    run_block(y, y_conv, bias, n_begin, n_end, nblk, static_cast<int32_t>(get_block_idx()));
}
