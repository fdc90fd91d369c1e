// rule_vec1: vector kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rule; tiles b 1, s 256; memory UB 163840 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_256x32 = Tile<TileType::Vec, float, 256, 32, BLayout::RowMajor, DYNAMIC, 32>;
using VecF32_32x256 = Tile<TileType::Vec, float, 32, 256, BLayout::RowMajor, 32, DYNAMIC>;
using GGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 32>, Stride<1, 1, 1, 32, 1>>;
using OGGm = GlobalTensor<float, Shape<1, 1, 1, 32, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;

AICORE inline void run_block(
    __gm__ float *o_g,
    __gm__ float *g,
    int32_t b,
    int32_t s,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t s0_buffer = 0;  // which of 2 buffers this iteration of s0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    const int32_t s0_tiles = (s + 255) / 256;
    const int32_t tiles = b * s0_tiles;  // of b0 and s0
    for (int32_t tile = block; tile < tiles; tile += nblk, s0_buffer ^= 1) {
        const int32_t b0 = tile / s0_tiles;
        const int32_t s0 = tile % s0_tiles * 256;
        const int32_t s0_valid = s - s0 < 256 ? s - s0 : 256;
        // o, state_end: gated_delta_rule(q_n, k_n, v, g, beta, state_t, scale=1)
        VecF32_256x32 g_tile_across(s0_valid); TASSIGN(g_tile_across, 0x10000 + s0_buffer * 0x08000);  // UB 0x10000..0x20000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(s0_buffer));  // free again
        GGm g_in(g + int64_t(b0) * s * 32 + int64_t(s0) * 32, {s0_valid});
        TLOAD(g_tile_across, g_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(s0_buffer));
        VecF32_32x256 g_tile(s0_valid); TASSIGN(g_tile, 0x00000 + s0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        VecF32_256x32 g_tile_tmp(s0_valid); TASSIGN<0x20000>(g_tile_tmp);  // UB 0x20000..0x28000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(s0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(s0_buffer));  // free again
        TTRANS(g_tile, g_tile_across, g_tile_tmp);
        set_flag(PIPE_V, PIPE_MTE3, event_t(s0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(s0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(s0_buffer));
        OGGm o_g_out(o_g + int64_t(b0) * s * 32 + int64_t(s0), {s0_valid}, {int64_t(s)});
        TSTORE(o_g_out, g_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(s0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void rule_vec1(__gm__ float *o_g, __gm__ float *g, int32_t b, int32_t s, int32_t nblk)
{
    run_block(o_g, g, b, s, nblk, static_cast<int32_t>(get_block_idx()));
}
