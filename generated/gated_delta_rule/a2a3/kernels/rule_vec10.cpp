// rule_vec10: vector kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rule; tiles b 1, group 1, heads 1, s 64; memory UB 98304 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecB16_64x128 = Tile<TileType::Vec, bfloat16_t, 64, 128, BLayout::RowMajor, DYNAMIC, 128>;
using OWWideGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using OWBlockGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *o_w_block,
    __gm__ float *o_w_wide,
    int32_t b_begin,
    int32_t b_end,
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
    const int32_t s0_tiles = (s + 63) / 64;
    const int32_t tiles = (b_end - b_begin) * s0_tiles * 32;  // of b0, heads0, group0 and s0
    for (int32_t tile = block; tile < tiles; tile += nblk, s0_buffer ^= 1) {
        const int32_t b0 = b_begin + tile / (s0_tiles * 32);
        const int32_t heads0 = tile / (s0_tiles * 2) % 16;
        const int32_t group0 = tile / s0_tiles % 2;
        const int32_t s0 = tile % s0_tiles * 64;
        const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
        // o, state_end: gated_delta_rule(q_n, k_n, v, g, beta, state_t, scale=1)
        VecF32_64x128 o_w_wide_tile(s0_valid); TASSIGN(o_w_wide_tile, 0x00000 + s0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(s0_buffer));  // free again
        OWWideGm o_w_wide_in(o_w_wide + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
        TLOAD(o_w_wide_tile, o_w_wide_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(s0_buffer));
        VecB16_64x128 o_w_block_tile(s0_valid); TASSIGN(o_w_block_tile, 0x10000 + s0_buffer * 0x04000);  // UB 0x10000..0x18000, 2 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(s0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(s0_buffer));  // free again
        TCVT(o_w_block_tile, o_w_wide_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(s0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(s0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(s0_buffer));
        OWBlockGm o_w_block_out(o_w_block + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
        TSTORE(o_w_block_out, o_w_block_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(s0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void rule_vec10(
    __gm__ bfloat16_t *o_w_block, __gm__ float *o_w_wide, int32_t b_begin, int32_t b_end, int32_t s, int32_t nblk)
{
    run_block(o_w_block, o_w_wide, b_begin, b_end, s, nblk, static_cast<int32_t>(get_block_idx()));
}
