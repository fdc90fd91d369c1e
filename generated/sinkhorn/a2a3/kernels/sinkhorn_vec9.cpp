// sinkhorn_vec9: vector kernel of `sinkhorn` for a2a3. Made by pyptogen; change the spec, not this file.
// stages sinkhorn; tiles t 1; memory UB 1152 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_4x8_c4 = Tile<TileType::Vec, float, 4, 8, BLayout::RowMajor, 4, 4>;
using VecF32_1x8_c4 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 4>;
using YRGm = GlobalTensor<float, Shape<1, 1, 1, 4, 4>, Stride<1, 1, 1, 4, 1>>;
using Y1Gm = GlobalTensor<float, Shape<1, 1, 1, 1, 4>, Stride<1, 1, 1, 4, 1>>;

AICORE inline void run_block(
    __gm__ float *y,
    __gm__ float *y_r,
    __gm__ float *y_1,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 4 buffers this iteration of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk, t0_buffer = (t0_buffer + 1) % 4) {
        // return: r / sum(r, axis=-2, keepdim=true)
        VecF32_4x8_c4 y_r_tile; TASSIGN(y_r_tile, 0x00000 + t0_buffer * 0x00080);  // UB 0x00000..0x00200, 4 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        YRGm y_r_in(y_r + int64_t(t0) * 16);
        TLOAD(y_r_tile, y_r_in);
        VecF32_1x8_c4 y_1_tile; TASSIGN(y_1_tile, 0x00200 + t0_buffer * 0x00020);  // UB 0x00200..0x00280, 4 copies
        Y1Gm y_1_in(y_1 + int64_t(t0) * 4);
        TLOAD(y_1_tile, y_1_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_4x8_c4 y_tile; TASSIGN(y_tile, 0x00280 + t0_buffer * 0x00080);  // UB 0x00280..0x00480, 4 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCOLEXPANDDIV(y_tile, y_r_tile, y_1_tile);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        YRGm y_out(y + int64_t(t0) * 16);
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void sinkhorn_vec9(
    __gm__ float *y, __gm__ float *y_r, __gm__ float *y_1, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(y, y_r, y_1, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
