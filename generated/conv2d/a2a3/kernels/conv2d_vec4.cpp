// conv2d_vec4: vector kernel of `conv2d` for a2a3. Made by pyptogen; change the spec, not this file.
// stages conv2d; tiles i3 1, i4 1, i5 1, part_at 1; memory UB 10752 B
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
    int32_t i5_buffer = 0;  // which of 2 buffers this iteration of i5 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (n * 64) * 9;  // of i3, i4 and i5
    for (int32_t tile = block; tile < tiles; tile += nblk, i5_buffer ^= 1) {
        const int32_t i3 = tile / 9;
        const int32_t i4 = tile / 3 % 3;
        const int32_t i5 = tile % 3;
        // y: cast(relu(conv(x, w, strides=2, paddings=1, bias=bias, dtype=fp32)), bf16)
        VecB16_28x64_c55 part_between; TASSIGN(part_between, 0x00e00 + i5_buffer * 0x00e00);  // UB 0x00e00..0x02a00, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(i5_buffer));  // free again
        YPadded2Gm y_padded_2_in(y_padded_2 + int64_t(i3) * 3364 + int64_t(i4) * 58 + int64_t(i5));
        TLOAD(part_between, y_padded_2_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(i5_buffer));
        wait_flag(PIPE_MTE2, PIPE_V, event_t(i5_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i5_buffer));  // free again
        for (int32_t part_at = 0; part_at < 28; ++part_at) {
            VecB16_1x64_c55 part_between_line; TASSIGN(part_between_line, 0x00e00 + i5_buffer * 0x00e00 + part_at * 0x00080);  // rows part_at.. of part_between
            VecB16_1x32 part_line_whole; TASSIGN(part_line_whole, 0x00000 + i5_buffer * 0x00700 + part_at * 0x00040);  // same bytes as part_line
            pipe_barrier(PIPE_V);
            TGATHER<VecB16_1x32, VecB16_1x64_c55, MaskPattern::P0101>(part_line_whole, part_between_line);
        }
        set_flag(PIPE_V, PIPE_MTE3, event_t(i5_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(i5_buffer));
        VecB16_28x32_c28 part; TASSIGN(part, 0x00000 + i5_buffer * 0x00700);  // UB 0x00000..0x00e00, 2 copies
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i5_buffer));
        YWindowsGm y_windows_out(y_windows + int64_t(i3) * 7056 + int64_t(i4) * 2352 + int64_t(i5) * 784);
        TSTORE(y_windows_out, part);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i5_buffer));
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
