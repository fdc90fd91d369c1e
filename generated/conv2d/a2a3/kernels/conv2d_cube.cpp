// conv2d_cube: cube kernel of `conv2d` for a2a3. Made by pyptogen; change the spec, not this file.
// stages conv2d; tiles n 1, y_columns_cols 128, y_columns_rows 128, y_columns_rows.l0 32; memory L0A 16384 B, L0B 16384 B, L0C 131072 B, L1 131072 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_128x128 = TileAccCompact<float, 128, 128, 128, DYNAMIC>;
using MatB16_128x128 = Tile<TileType::Mat, bfloat16_t, 128, 128, BLayout::ColMajor, 128, DYNAMIC, SLayout::RowMajor, 512>;
using MatB16_128x128m = Tile<TileType::Mat, bfloat16_t, 128, 128, BLayout::ColMajor, DYNAMIC, DYNAMIC, SLayout::RowMajor, 512>;
using LeftB16_128x32 = TileLeftCompact<bfloat16_t, 128, 32, 128, DYNAMIC>;
using RightB16_32x128 = TileRightCompact<bfloat16_t, 32, 128, DYNAMIC, DYNAMIC>;
using WGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, 576, 1>>;
using YWindowsGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 784, 1>>;
using YConvGm = GlobalTensor<float, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, 784, 1>>;

AICORE inline void run_block(
    __gm__ float *y_conv,
    __gm__ bfloat16_t *w,
    __gm__ bfloat16_t *y_windows,
    int32_t n_begin,
    int32_t n_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t y_columns_cols0_buffer = 0;  // which of 2 buffers this iteration of y_columns_cols0 uses
    int32_t y_columns_rows0_buffer = 0;  // which of 2 buffers this iteration of y_columns_rows0 uses
    int32_t k1_buffer = 0;  // which of 2 buffers this iteration of k1 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (n_end - n_begin) * 7;  // of n0 and y_columns_cols0
    for (int32_t tile = block; tile < tiles; tile += nblk, y_columns_cols0_buffer ^= 1) {
        const int32_t n0 = n_begin + tile / 7;
        const int32_t y_columns_cols0 = tile % 7 * 128;
        const int32_t y_columns_cols0_valid = 784 - y_columns_cols0 < 128 ? 784 - y_columns_cols0 : 128;
        AccF32_128x128 y_conv_acc(y_columns_cols0_valid); TASSIGN(y_conv_acc, 0x00000 + y_columns_cols0_buffer * 0x10000);  // L0C 0x00000..0x20000, 2 copies
        for (int32_t y_columns_rows0 = 0; y_columns_rows0 < 576; y_columns_rows0 += 128, y_columns_rows0_buffer ^= 1) {
            const int32_t y_columns_rows0_valid = 576 - y_columns_rows0 < 128 ? 576 - y_columns_rows0 : 128;
            // y: cast(relu(conv(x, w, strides=2, paddings=1, bias=bias, dtype=fp32)), bf16)
            MatB16_128x128 w_tile(y_columns_rows0_valid); TASSIGN(w_tile, 0x00000 + y_columns_rows0_buffer * 0x08000);  // L1 0x00000..0x10000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(y_columns_rows0_buffer));  // free again
            WGm w_in(w + int64_t(y_columns_rows0), {y_columns_rows0_valid});
            TLOAD(w_tile, w_in);
            MatB16_128x128m y_windows_tile(y_columns_rows0_valid, y_columns_cols0_valid); TASSIGN(y_windows_tile, 0x10000 + y_columns_rows0_buffer * 0x08000);  // L1 0x10000..0x20000, 2 copies
            YWindowsGm y_windows_in(y_windows + int64_t(n0) * 451584 + int64_t(y_columns_rows0) * 784 + int64_t(y_columns_cols0), {y_columns_rows0_valid, y_columns_cols0_valid});
            TLOAD(y_windows_tile, y_windows_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(y_columns_rows0_buffer));
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(y_columns_rows0_buffer));
            for (int32_t k1 = 0; k1 < y_columns_rows0_valid; k1 += 32, k1_buffer ^= 1) {
                const int32_t k1_valid = y_columns_rows0_valid - k1 < 32 ? y_columns_rows0_valid - k1 : 32;
                LeftB16_128x32 w_tile_l0a(k1_valid); TASSIGN(w_tile_l0a, 0x00000 + k1_buffer * 0x02000);  // L0A 0x00000..0x04000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));  // free again
                TEXTRACT(w_tile_l0a, w_tile, 0, k1);
                RightB16_32x128 y_windows_tile_l0b(k1_valid, y_columns_cols0_valid); TASSIGN(y_windows_tile_l0b, 0x00000 + k1_buffer * 0x02000);  // L0B 0x00000..0x04000, 2 copies
                TEXTRACT(y_windows_tile_l0b, y_windows_tile, k1, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                wait_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                if (y_columns_rows0 + k1 == 0) {
                    TMATMUL<AccPhase::Partial>(y_conv_acc, w_tile_l0a, y_windows_tile_l0b);
                } else if (k1 + y_columns_rows0 + 32 < 576) {
                    TMATMUL_ACC<AccPhase::Partial>(y_conv_acc, y_conv_acc, w_tile_l0a, y_windows_tile_l0b);
                } else {
                    TMATMUL_ACC<AccPhase::Final>(y_conv_acc, y_conv_acc, w_tile_l0a, y_windows_tile_l0b);
                }
                set_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));
            }
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(y_columns_rows0_buffer));
        }
        YConvGm y_conv_out(y_conv + int64_t(n0) * 100352 + int64_t(y_columns_cols0), {y_columns_cols0_valid});
        TSTORE<STPhase::Final>(y_conv_out, y_conv_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void conv2d_cube(
    __gm__ float *y_conv, __gm__ bfloat16_t *w, __gm__ bfloat16_t *y_windows, int32_t n_begin, int32_t n_end,
    int32_t nblk)
{
    run_block(y_conv, w, y_windows, n_begin, n_end, nblk, static_cast<int32_t>(get_block_idx()));
}
