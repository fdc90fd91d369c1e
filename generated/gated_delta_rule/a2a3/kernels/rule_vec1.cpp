// rule_vec1: vector kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rule; tiles i2 64, i3 1; memory UB 73728 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x32 = Tile<TileType::Vec, float, 64, 32, BLayout::RowMajor, DYNAMIC, 32>;
using VecF32_32x64 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, 32, DYNAMIC>;
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
    int32_t i2_buffer = 0;  // which of 4 buffers this iteration of i2 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    const int32_t i2_tiles = (s + 63) / 64;
    const int32_t tiles = b * i2_tiles;  // of i3 and i2
    for (int32_t tile = block; tile < tiles; tile += nblk, i2_buffer = (i2_buffer + 1) % 4) {
        const int32_t i3 = tile / i2_tiles;
        const int32_t i2 = tile % i2_tiles * 64;
        const int32_t i2_valid = s - i2 < 64 ? s - i2 : 64;
        // o, state_end: gated_delta_rule(q_n, k_n, v, g, beta, state_t, scale=1)
        VecF32_64x32 part(i2_valid); TASSIGN(part, 0x00000 + i2_buffer * 0x02000);  // UB 0x00000..0x08000, 4 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));  // free again
        GGm g_in(g + int64_t(i2) * 32 + int64_t(i3) * s * 32, {i2_valid});
        TLOAD(part, g_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
        VecF32_32x64 transposed(i2_valid); TASSIGN(transposed, 0x08000 + i2_buffer * 0x02000);  // UB 0x08000..0x10000, 4 copies
        VecF32_64x32 transposed_tmp(i2_valid); TASSIGN<0x10000>(transposed_tmp);  // UB 0x10000..0x12000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i2_buffer));  // free again
        TTRANS(transposed, part, transposed_tmp);
        set_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
        OGGm o_g_out(o_g + int64_t(i3) * s * 32 + int64_t(i2), {i2_valid}, {int64_t(s)});
        TSTORE(o_g_out, transposed);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i2_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void rule_vec1(__gm__ float *o_g, __gm__ float *g, int32_t b, int32_t s, int32_t nblk)
{
    run_block(o_g, g, b, s, nblk, static_cast<int32_t>(get_block_idx()));
}
