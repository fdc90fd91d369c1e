// rule_cube1: cube kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rule; tiles b 1, heads 1, s 64; memory L0A 32768 B, L0B 32768 B, L0C 32768 B, L1 65536 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatB16_64x128 = Tile<TileType::Mat, bfloat16_t, 64, 128, BLayout::ColMajor, DYNAMIC, 128, SLayout::RowMajor, 512>;
using MatZnB16_128x64 = Tile<TileType::Mat, bfloat16_t, 128, 64, BLayout::RowMajor, 128, DYNAMIC, SLayout::ColMajor, 512>;
using LeftB16_64x128 = TileLeft<bfloat16_t, 64, 128, DYNAMIC, 128>;
using RightB16_128x64 = TileRightCompact<bfloat16_t, 128, 64, 128, DYNAMIC>;
using AccF32_64x64 = TileAccCompact<float, 64, 64, DYNAMIC, DYNAMIC>;
using KNGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 2048, 1>>;
using KNGm2 = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, 1, 2048>, Layout::DN>;
using OKkGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 64, 1>>;

AICORE inline void run_block(
    __gm__ float *o_kk,
    __gm__ bfloat16_t *k_n,
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
    const int32_t tiles = (b_end - b_begin) * s0_tiles * 16;  // of b0, heads0 and s0
    for (int32_t tile = block; tile < tiles; tile += nblk, s0_buffer ^= 1) {
        const int32_t b0 = b_begin + tile / (s0_tiles * 16);
        const int32_t heads0 = tile / s0_tiles % 16;
        const int32_t s0 = tile % s0_tiles * 64;
        const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
        // o, state_end: gated_delta_rule(q_n, k_n, v, g, beta, state_t, scale=1)
        MatB16_64x128 k_n_tile(s0_valid); TASSIGN(k_n_tile, 0x00000 + s0_buffer * 0x04000);  // L1 0x00000..0x08000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(s0_buffer));  // free again
        KNGm k_n_in(k_n + int64_t(b0) * s * 2048 + int64_t(s0) * 2048 + int64_t(heads0) * 128, {s0_valid});
        TLOAD(k_n_tile, k_n_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + s0_buffer));
        MatZnB16_128x64 k_n_tile_2(s0_valid); TASSIGN(k_n_tile_2, 0x08000 + s0_buffer * 0x04000);  // L1 0x08000..0x10000, 2 copies
        KNGm2 k_n_in_2(k_n + int64_t(b0) * s * 2048 + int64_t(s0) * 2048 + int64_t(heads0) * 128, {s0_valid});
        TLOAD(k_n_tile_2, k_n_in_2);
        set_flag(PIPE_MTE2, PIPE_MTE1, event_t(s0_buffer));
        LeftB16_64x128 k_n_tile_l0a(s0_valid); TASSIGN(k_n_tile_l0a, 0x00000 + s0_buffer * 0x04000);  // L0A 0x00000..0x08000, 2 copies
        wait_flag(PIPE_M, PIPE_MTE1, event_t(s0_buffer));  // free again
        wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + s0_buffer));
        TEXTRACT(k_n_tile_l0a, k_n_tile, 0, 0);
        RightB16_128x64 k_n_tile_2_l0b(s0_valid); TASSIGN(k_n_tile_2_l0b, 0x00000 + s0_buffer * 0x04000);  // L0B 0x00000..0x08000, 2 copies
        wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(s0_buffer));
        TEXTRACT(k_n_tile_2_l0b, k_n_tile_2, 0, 0);
        set_flag(PIPE_MTE1, PIPE_M, event_t(s0_buffer));
        set_flag(PIPE_MTE1, PIPE_MTE2, event_t(s0_buffer));
        AccF32_64x64 o_kk_acc(s0_valid, s0_valid); TASSIGN(o_kk_acc, 0x00000 + s0_buffer * 0x04000);  // L0C 0x00000..0x08000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_M, event_t(s0_buffer));
        TMATMUL<AccPhase::Final>(o_kk_acc, k_n_tile_l0a, k_n_tile_2_l0b);
        set_flag(PIPE_M, PIPE_MTE1, event_t(s0_buffer));
        OKkGm o_kk_out(o_kk + int64_t(b0) * s * 1024 + int64_t(heads0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
        TSTORE<STPhase::Final>(o_kk_out, o_kk_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void rule_cube1(
    __gm__ float *o_kk, __gm__ bfloat16_t *k_n, int32_t b_begin, int32_t b_end, int32_t s, int32_t nblk)
{
    run_block(o_kk, k_n, b_begin, b_end, s, nblk, static_cast<int32_t>(get_block_idx()));
}
