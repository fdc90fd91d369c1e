// conv2d_mixed_vec: vector kernel of `conv2d` for a2a3. Made by pyptogen; change the spec, not this file.
// stages conv2d; tiles n 1, y_columns_cols 128; memory UB 131328 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, DYNAMIC>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, 64, 1>;
using VecB16_64x128 = Tile<TileType::Vec, bfloat16_t, 64, 128, BLayout::RowMajor, 64, DYNAMIC>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 0, 1>>;
using YConvSlotGm = GlobalTensor<float, Shape<1, 1, 1, 64, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, DYNAMIC>, Stride<1, 1, 1, 784, 1>>;
using YConvPipe = TPipe<0, Direction::DIR_C2V, 65536, 2, 2, true>;  // 2 tiles of up to 128 x 128, to both vector cores
using YConvSlot = GlobalTensor<float, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y,
    __gm__ float *bias,
    __gm__ float *y_conv_fifo,
    int32_t n_begin,
    int32_t n_end,
    int32_t nblk,
    int32_t block,
    int32_t subblock)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    YConvPipe y_conv_pipe(y_conv_fifo + int64_t(block) * 32768, 0x0, 0x0);
    int32_t y_columns_cols0_buffer = 0;  // which of 2 buffers this iteration of y_columns_cols0 uses
    // y: cast(relu(conv(x, w, strides=2, paddings=1, bias=bias, dtype=fp32)), bf16)
    VecF32_1x64 bias_tile_row; TASSIGN<0x10000>(bias_tile_row);  // as a row, same bytes as bias_tile
    BiasGm bias_in(bias + int64_t(subblock) * 64);
    TLOAD(bias_tile_row, bias_in);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t n0 = n_begin + block; n0 < n_end; n0 += nblk) {
        for (int32_t y_columns_cols0 = 0; y_columns_cols0 < 784; y_columns_cols0 += 128, y_columns_cols0_buffer ^= 1) {
            const int32_t y_columns_cols0_valid = 784 - y_columns_cols0 < 128 ? 784 - y_columns_cols0 : 128;
            YConvSlot y_conv_view(y_conv_fifo);
            TPOP<YConvPipe, YConvSlot, TileSplitAxis::TILE_NO_SPLIT>(y_conv_pipe, y_conv_view);
            __gm__ float *y_conv_slot = y_conv_view.data();
            VecF32_64x128 y_conv(y_columns_cols0_valid); TASSIGN(y_conv, 0x00000 + y_columns_cols0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(y_columns_cols0_buffer));  // free again
            YConvSlotGm y_conv_slot_in(y_conv_slot + int64_t(subblock) * y_columns_cols0_valid * 64, {y_columns_cols0_valid}, {int64_t(y_columns_cols0_valid)});
            TLOAD(y_conv, y_conv_slot_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(y_columns_cols0_buffer));
            TFREE<YConvPipe, YConvSlot, TileSplitAxis::TILE_NO_SPLIT>(y_conv_pipe, y_conv_view);
            VecF32_64x128 y_biased(y_columns_cols0_valid); TASSIGN<0x18100>(y_biased);  // UB 0x18100..0x20100
            VecF32_64x1 bias_tile; TASSIGN<0x10000>(bias_tile);  // UB 0x10000..0x10100
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(y_columns_cols0_buffer));
            TROWEXPANDADD(y_biased, y_conv, bias_tile);
            set_flag(PIPE_V, PIPE_MTE2, event_t(y_columns_cols0_buffer));
            VecF32_64x128 y_places(y_columns_cols0_valid); TASSIGN<0x18100>(y_places);  // UB 0x18100..0x20100
            pipe_barrier(PIPE_V);
            TRELU(y_places, y_biased);
            VecB16_64x128 y_1(y_columns_cols0_valid); TASSIGN(y_1, 0x10100 + y_columns_cols0_buffer * 0x04000);  // UB 0x10100..0x18100, 2 copies
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, event_t(y_columns_cols0_buffer));  // free again
            TCVT(y_1, y_places, RoundMode::CAST_RINT, SaturationMode::ON);
            set_flag(PIPE_V, PIPE_MTE3, event_t(y_columns_cols0_buffer));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(y_columns_cols0_buffer));
            YGm y_out(y + int64_t(n0) * 100352 + int64_t(subblock) * 50176 + int64_t(y_columns_cols0), {y_columns_cols0_valid});
            TSTORE(y_out, y_1);
            set_flag(PIPE_MTE3, PIPE_V, event_t(y_columns_cols0_buffer));
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void conv2d_mixed_vec(
    __gm__ uint64_t *ffts, __gm__ bfloat16_t *y, __gm__ float *bias, __gm__ float *y_conv_fifo, int32_t n_begin,
    int32_t n_end, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(
        y, bias, y_conv_fifo, n_begin, n_end, nblk, static_cast<int32_t>(get_block_idx()),
        static_cast<int32_t>(get_subblockid()));
}
