// conv2d_vec4: vector kernel of `conv2d` for a2a3. Made by pyptogen; change the spec, not this file.
// stages conv2d; tiles y_padded_2_tile_at 1, y_windows_axis 1, y_windows_axis_2 1, y_windows_axis_3 1; memory UB 10752 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_28x64_c55 = Tile<TileType::Vec, bfloat16_t, 28, 64, BLayout::RowMajor, 28, 55>;
using VecB16_1x64_c55 = Tile<TileType::Vec, bfloat16_t, 1, 64, BLayout::RowMajor, 1, 55>;
using VecB16_1x32 = Tile<TileType::Vec, bfloat16_t, 1, 32, BLayout::RowMajor, 1, 32>;
using VecB16_28x32_c28 = Tile<TileType::Vec, bfloat16_t, 28, 32, BLayout::RowMajor, 28, 28>;
using YPadded2Gm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 28, 55>, Stride<1, 1, 1, 116, 1>>;
using YWindowsGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 28, 28>, Stride<1, 1, 1, 28, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y_windows,
    __gm__ bfloat16_t *y_padded_2,
    int32_t n,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t y_windows_axis_30_buffer = 0;  // which of 2 buffers this iteration of y_windows_axis_30 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (n * 64) * 9;  // of y_windows_axis0, y_windows_axis_20 and y_windows_axis_30
    for (int32_t tile = block; tile < tiles; tile += nblk, y_windows_axis_30_buffer ^= 1) {
        const int32_t y_windows_axis0 = tile / 9;
        const int32_t y_windows_axis_20 = tile / 3 % 3;
        const int32_t y_windows_axis_30 = tile % 3;
        // y: cast(relu(conv(x, w, strides=2, paddings=1, bias=bias, dtype=fp32)), bf16)
        VecB16_28x64_c55 y_padded_2_tile_between; TASSIGN(y_padded_2_tile_between, 0x00e00 + y_windows_axis_30_buffer * 0x00e00);  // UB 0x00e00..0x02a00, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(y_windows_axis_30_buffer));  // free again
        YPadded2Gm y_padded_2_in(y_padded_2 + int64_t(y_windows_axis0) * 3364 + int64_t(y_windows_axis_20) * 58 + int64_t(y_windows_axis_30));
        TLOAD(y_padded_2_tile_between, y_padded_2_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(y_windows_axis_30_buffer));
        wait_flag(PIPE_MTE2, PIPE_V, event_t(y_windows_axis_30_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(y_windows_axis_30_buffer));  // free again
        for (int32_t y_padded_2_tile_at = 0; y_padded_2_tile_at < 28; ++y_padded_2_tile_at) {
            VecB16_1x64_c55 y_padded_2_tile_between_line; TASSIGN(y_padded_2_tile_between_line, 0x00e00 + y_padded_2_tile_at * 0x00080 + y_windows_axis_30_buffer * 0x00e00);  // rows y_padded_2_tile_at.. of y_padded_2_tile_between
            VecB16_1x32 y_padded_2_tile_line_whole; TASSIGN(y_padded_2_tile_line_whole, 0x00000 + y_padded_2_tile_at * 0x00040 + y_windows_axis_30_buffer * 0x00700);  // same bytes as y_padded_2_tile_line
            pipe_barrier(PIPE_V);
            TGATHER<VecB16_1x32, VecB16_1x64_c55, MaskPattern::P0101>(y_padded_2_tile_line_whole, y_padded_2_tile_between_line);
        }
        set_flag(PIPE_V, PIPE_MTE3, event_t(y_windows_axis_30_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(y_windows_axis_30_buffer));
        VecB16_28x32_c28 y_padded_2_tile; TASSIGN(y_padded_2_tile, 0x00000 + y_windows_axis_30_buffer * 0x00700);  // UB 0x00000..0x00e00, 2 copies
        wait_flag(PIPE_V, PIPE_MTE3, event_t(y_windows_axis_30_buffer));
        YWindowsGm y_windows_out(y_windows + int64_t(y_windows_axis0) * 7056 + int64_t(y_windows_axis_20) * 2352 + int64_t(y_windows_axis_30) * 784);
        TSTORE(y_windows_out, y_padded_2_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(y_windows_axis_30_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void conv2d_vec4(
    __gm__ bfloat16_t *y_windows, __gm__ bfloat16_t *y_padded_2, int32_t n, int32_t nblk)
{
    run_block(y_windows, y_padded_2, n, nblk, static_cast<int32_t>(get_block_idx()));
}
