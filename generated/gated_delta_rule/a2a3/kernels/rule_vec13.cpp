// rule_vec13: vector kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rule; tiles i3 1, i4 1; memory UB 32768 B
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
    int32_t i4_buffer = 0;  // which of 4 buffers this iteration of i4 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    const int32_t i4_tiles = s;
    const int32_t tiles = b * i4_tiles;  // of i3 and i4
    for (int32_t tile = block; tile < tiles; tile += nblk, i4_buffer = (i4_buffer + 1) % 4) {
        const int32_t i3 = tile / i4_tiles;
        const int32_t i4 = tile % i4_tiles;
        // o, state_end: gated_delta_rule(q_n, k_n, v, g, beta, state_t, scale=1)
        VecB16_32x128 part; TASSIGN(part, 0x00000 + i4_buffer * 0x02000);  // UB 0x00000..0x08000, 4 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(i4_buffer));  // free again
        OReadBlockGm o_read_block_in(o_read_block + int64_t(i3) * s * 4096 + int64_t(i4) * 128, {}, {int64_t(s) * 128});
        TLOAD(part, o_read_block_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(i4_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(i4_buffer));
        OGm o_out(o + int64_t(i3) * s * 4096 + int64_t(i4) * 4096);
        TSTORE(o_out, part);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(i4_buffer));
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
