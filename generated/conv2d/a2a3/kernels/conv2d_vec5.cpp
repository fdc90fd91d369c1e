// conv2d_vec5: vector kernel of `conv2d` for a2a3. Made by pyptogen; change the spec, not this file.
// stages conv2d; tiles n 1, oc 1; memory UB 16320 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_32x32_c28_r28 = Tile<TileType::Vec, float, 32, 32, BLayout::RowMajor, 28, 28>;
using VecF32_1x8_c1 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;
using VecF32_1x32_c28 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 28>;
using VecF32_8x1_r1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1>;
using VecB16_32x32_c28_r28 = Tile<TileType::Vec, bfloat16_t, 32, 32, BLayout::RowMajor, 28, 28>;
using YConvGm = GlobalTensor<float, Shape<1, 1, 1, 28, 28>, Stride<1, 1, 1, 28, 1>>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 0, 1>>;
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
    int32_t oc0_slot = 0;  // which of 2 buffers this round of oc0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // copy 1 is free
    for (int32_t n0 = n_begin; n0 < n_end; ++n0) {
        for (int32_t oc0 = block; oc0 < 128; oc0 += nblk, oc0_slot ^= 1) {
            // y: relu(conv(x, w, strides=2, paddings=1, bias=bias))  [conv2d.yaml:20]
            VecF32_32x32_c28_r28 y_conv_tile; TASSIGN(y_conv_tile, 0x00000 + oc0_slot * 0x00e00);  // UB 0x00000..0x01c00, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(oc0_slot));  // free again
            YConvGm y_conv_in(y_conv + int64_t(n0) * 100352 + int64_t(oc0) * 784);
            TLOAD(y_conv_tile, y_conv_in);
            VecF32_1x8_c1 bias_tile_row; TASSIGN(bias_tile_row, 0x01c00 + oc0_slot * 0x00020);  // as a row, same bytes as bias_tile
            BiasGm bias_in(bias + int64_t(oc0));
            TLOAD(bias_tile_row, bias_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(oc0_slot));
            VecF32_1x32_c28 bias_tile_wide; TASSIGN(bias_tile_wide, 0x02a40);  // UB 0x02a40..0x02ac0
            VecF32_8x1_r1 bias_tile; TASSIGN(bias_tile, 0x01c00 + oc0_slot * 0x00020);  // UB 0x01c00..0x01c40, 2 copies
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(oc0_slot));
            TROWEXPAND(bias_tile_wide, bias_tile);
            VecF32_32x32_c28_r28 y_biased; TASSIGN(y_biased, 0x02ac0);  // UB 0x02ac0..0x038c0
            pipe_barrier(PIPE_V);
            TCOLEXPANDADD(y_biased, y_conv_tile, bias_tile_wide);
            set_flag(PIPE_V, PIPE_MTE2, event_t(oc0_slot));
            VecB16_32x32_c28_r28 y_37; TASSIGN(y_37, 0x038c0);  // UB 0x038c0..0x03fc0
            pipe_barrier(PIPE_V);
            TCVT(y_37, y_biased, RoundMode::CAST_RINT);
            VecF32_32x32_c28_r28 y_fp32; TASSIGN(y_fp32, 0x02a40);  // UB 0x02a40..0x03840
            pipe_barrier(PIPE_V);
            TCVT(y_fp32, y_37, RoundMode::CAST_RINT);
            VecF32_32x32_c28_r28 y_wide; TASSIGN(y_wide, 0x02a40);  // UB 0x02a40..0x03840
            pipe_barrier(PIPE_V);
            TRELU(y_wide, y_fp32);
            VecB16_32x32_c28_r28 y_tile; TASSIGN(y_tile, 0x01c40 + oc0_slot * 0x00700);  // UB 0x01c40..0x02a40, 2 copies
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, event_t(oc0_slot));  // free again
            TCVT(y_tile, y_wide, RoundMode::CAST_RINT);
            set_flag(PIPE_V, PIPE_MTE3, event_t(oc0_slot));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(oc0_slot));
            YGm y_out(y + int64_t(n0) * 100352 + int64_t(oc0) * 784);
            TSTORE(y_out, y_tile);
            set_flag(PIPE_MTE3, PIPE_V, event_t(oc0_slot));
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round of copy 1
#endif
}
