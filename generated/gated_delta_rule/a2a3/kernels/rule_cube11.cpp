// rule_cube11: cube kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rule; tiles b 1, group 1, heads 1, s 64; memory L0A 32768 B, L0B 32768 B, L0C 32768 B, L1 65536 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatF32_64x64 = Tile<TileType::Mat, float, 64, 64, BLayout::ColMajor, DYNAMIC, DYNAMIC, SLayout::RowMajor, 512>;
using LeftF32_64x64 = TileLeftCompact<float, 64, 64, DYNAMIC, DYNAMIC>;
using RightF32_64x64 = TileRightCompact<float, 64, 64, DYNAMIC, DYNAMIC>;
using AccF32_64x64 = TileAccCompact<float, 64, 64, DYNAMIC, DYNAMIC>;
using OInverse32Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 64, 1>>;

AICORE inline void run_block(
    __gm__ float *o_corner_64,
    __gm__ float *o_inverse_32,
    __gm__ float *o_joined_64,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t s0_buffer = 0;  // which of 2 buffers this iteration of s0 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t s0_tiles = (s + 63) / 64;
    const int32_t tiles = (b_end - b_begin) * s0_tiles * 32;  // of b0, heads0, group0 and s0
    for (int32_t tile = block; tile < tiles; tile += nblk, s0_buffer ^= 1) {
        const int32_t b0 = b_begin + tile / (s0_tiles * 32);
        const int32_t heads0 = tile / (s0_tiles * 2) % 16;
        const int32_t group0 = tile / s0_tiles % 2;
        const int32_t s0 = tile % s0_tiles * 64;
        const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
        // o, state_end: gated_delta_rule(q_n, k_n, v, g, beta, state_t, scale=1)
        MatF32_64x64 o_inverse_32_tile(s0_valid, s0_valid); TASSIGN(o_inverse_32_tile, 0x00000 + s0_buffer * 0x04000);  // L1 0x00000..0x08000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(s0_buffer));  // free again
        OInverse32Gm o_inverse_32_in(o_inverse_32 + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
        TLOAD(o_inverse_32_tile, o_inverse_32_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + s0_buffer));
        MatF32_64x64 o_joined_64_tile(s0_valid, s0_valid); TASSIGN(o_joined_64_tile, 0x08000 + s0_buffer * 0x04000);  // L1 0x08000..0x10000, 2 copies
        OInverse32Gm o_joined_64_in(o_joined_64 + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
        TLOAD(o_joined_64_tile, o_joined_64_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, event_t(s0_buffer));
        LeftF32_64x64 o_inverse_32_tile_l0a(s0_valid, s0_valid); TASSIGN(o_inverse_32_tile_l0a, 0x00000 + s0_buffer * 0x04000);  // L0A 0x00000..0x08000, 2 copies
        wait_flag(PIPE_M, PIPE_MTE1, event_t(s0_buffer));  // free again
        wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + s0_buffer));
        TEXTRACT(o_inverse_32_tile_l0a, o_inverse_32_tile, 0, 0);
        RightF32_64x64 o_joined_64_tile_l0b(s0_valid, s0_valid); TASSIGN(o_joined_64_tile_l0b, 0x00000 + s0_buffer * 0x04000);  // L0B 0x00000..0x08000, 2 copies
        wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(s0_buffer));
        TEXTRACT(o_joined_64_tile_l0b, o_joined_64_tile, 0, 0);
        set_flag(PIPE_MTE1, PIPE_M, event_t(s0_buffer));
        set_flag(PIPE_MTE1, PIPE_MTE2, event_t(s0_buffer));
        AccF32_64x64 o_corner_64_acc(s0_valid, s0_valid); TASSIGN(o_corner_64_acc, 0x00000 + s0_buffer * 0x04000);  // L0C 0x00000..0x08000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_M, event_t(s0_buffer));
        TMATMUL<AccPhase::Final>(o_corner_64_acc, o_inverse_32_tile_l0a, o_joined_64_tile_l0b);
        set_flag(PIPE_M, PIPE_MTE1, event_t(s0_buffer));
        OInverse32Gm o_corner_64_out(o_corner_64 + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
        TSTORE<STPhase::Final>(o_corner_64_out, o_corner_64_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void rule_cube11(
    __gm__ float *o_corner_64, __gm__ float *o_inverse_32, __gm__ float *o_joined_64, int32_t b_begin,
    int32_t b_end, int32_t s, int32_t nblk)
{
    run_block(
        o_corner_64, o_inverse_32, o_joined_64, b_begin, b_end, s, nblk, static_cast<int32_t>(get_block_idx()));
}
