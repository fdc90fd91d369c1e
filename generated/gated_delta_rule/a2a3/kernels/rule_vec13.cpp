// rule_vec13: vector kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rule; tiles b 1, s 1; memory UB 32768 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_32x128 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, 32, 128>;
using OReadBlockGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 32, 128>, Stride<1, 1, 1, DYNAMIC, 1>>;
using OGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 32, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *o,
    __gm__ bfloat16_t *o_read_block,
    int32_t b,
    int32_t s,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t s0_buffer = 0;  // which of 4 buffers this iteration of s0 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    const int32_t s0_tiles = s;
    const int32_t tiles = b * s0_tiles;  // of b0 and s0
    for (int32_t tile = block; tile < tiles; tile += nblk, s0_buffer = (s0_buffer + 1) % 4) {
        const int32_t b0 = tile / s0_tiles;
        const int32_t s0 = tile % s0_tiles;
        // o, state_end: gated_delta_rule(q_n, k_n, v, g, beta, state_t, scale=1)
        VecB16_32x128 o_read_block_tile; TASSIGN(o_read_block_tile, 0x00000 + s0_buffer * 0x02000);  // UB 0x00000..0x08000, 4 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(s0_buffer));  // free again
        OReadBlockGm o_read_block_in(o_read_block + int64_t(b0) * s * 4096 + int64_t(s0) * 128, {}, {int64_t(s) * 128});
        TLOAD(o_read_block_tile, o_read_block_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(s0_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(s0_buffer));
        OGm o_out(o + int64_t(b0) * s * 4096 + int64_t(s0) * 4096);
        TSTORE(o_out, o_read_block_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(s0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void rule_vec13(
    __gm__ bfloat16_t *o, __gm__ bfloat16_t *o_read_block, int32_t b, int32_t s, int32_t nblk)
{
    run_block(o, o_read_block, b, s, nblk, static_cast<int32_t>(get_block_idx()));
}
