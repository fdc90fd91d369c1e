// sinkhorn_vec2: vector kernel of `sinkhorn` for a2a3. Made by pyptogen; change the spec, not this file.
// stages sinkhorn; tiles t 1; memory UB 640 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_4x8_c4 = Tile<TileType::Vec, float, 4, 8, BLayout::RowMajor, 4, 4>;
using VecF32_1x8_c4 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 4>;
using FirstRGm = GlobalTensor<float, Shape<1, 1, 1, 4, 4>, Stride<1, 1, 1, 4, 1>>;
using First1Gm = GlobalTensor<float, Shape<1, 1, 1, 1, 4>, Stride<1, 1, 1, 4, 1>>;

AICORE inline void run_block(
    __gm__ float *first_1,
    __gm__ float *first_r,
    int32_t t,
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
    for (int32_t t0 = block; t0 < t; t0 += nblk, t0_buffer = (t0_buffer + 1) % 4) {
        // return: r / sum(r, axis=-2, keepdim=true)
        VecF32_4x8_c4 first_r_tile; TASSIGN(first_r_tile, 0x00000 + t0_buffer * 0x00080);  // UB 0x00000..0x00200, 4 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        FirstRGm first_r_in(first_r + int64_t(t0) * 16);
        TLOAD(first_r_tile, first_r_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_1x8_c4 first_1_tile; TASSIGN(first_1_tile, 0x00200 + t0_buffer * 0x00020);  // UB 0x00200..0x00280, 4 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCOLSUM(first_1_tile, first_r_tile);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        First1Gm first_1_out(first_1 + int64_t(t0) * 4);
        TSTORE(first_1_out, first_1_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void sinkhorn_vec2(
    __gm__ float *first_1, __gm__ float *first_r, int32_t t, int32_t nblk)
{
    run_block(first_1, first_r, t, nblk, static_cast<int32_t>(get_block_idx()));
}
