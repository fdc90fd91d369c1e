// rule_vec6: vector kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rule; tiles b 1, group 1, heads 1, s 64; memory UB 98304 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x64 = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using OInverse4Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 64, 1>>;

AICORE inline void run_block(
    __gm__ float *o_inverse_8,
    __gm__ float *o_inverse_4,
    __gm__ float *o_corner_8,
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
        VecF32_64x64 o_inverse_4_tile(s0_valid, s0_valid); TASSIGN(o_inverse_4_tile, 0x00000 + s0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(s0_buffer));  // free again
        OInverse4Gm o_inverse_4_in(o_inverse_4 + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
        TLOAD(o_inverse_4_tile, o_inverse_4_in);
        VecF32_64x64 o_corner_8_tile(s0_valid, s0_valid); TASSIGN(o_corner_8_tile, 0x08000 + s0_buffer * 0x04000);  // UB 0x08000..0x10000, 2 copies
        OInverse4Gm o_corner_8_in(o_corner_8 + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
        TLOAD(o_corner_8_tile, o_corner_8_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(s0_buffer));
        VecF32_64x64 o_inverse_8_tile(s0_valid, s0_valid); TASSIGN(o_inverse_8_tile, 0x10000 + s0_buffer * 0x04000);  // UB 0x10000..0x18000, 2 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(s0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(s0_buffer));  // free again
        TSUB(o_inverse_8_tile, o_inverse_4_tile, o_corner_8_tile);
        set_flag(PIPE_V, PIPE_MTE3, event_t(s0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(s0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(s0_buffer));
        OInverse4Gm o_inverse_8_out(o_inverse_8 + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
        TSTORE(o_inverse_8_out, o_inverse_8_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(s0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void rule_vec6(
    __gm__ float *o_inverse_8, __gm__ float *o_inverse_4, __gm__ float *o_corner_8, int32_t b_begin, int32_t b_end,
    int32_t s, int32_t nblk)
{
    run_block(o_inverse_8, o_inverse_4, o_corner_8, b_begin, b_end, s, nblk, static_cast<int32_t>(get_block_idx()));
}
