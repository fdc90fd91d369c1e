// rule_cube12: cube kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rule; tiles b 1, group 1, heads 1, s 64; memory L0A 32768 B, L0B 65536 B, L0C 131072 B, L1 98304 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatB16_64x64 = Tile<TileType::Mat, bfloat16_t, 64, 64, BLayout::ColMajor, DYNAMIC, DYNAMIC, SLayout::RowMajor, 512>;
using MatB16_64x128 = Tile<TileType::Mat, bfloat16_t, 64, 128, BLayout::ColMajor, DYNAMIC, 128, SLayout::RowMajor, 512>;
using LeftB16_64x64 = TileLeftCompact<bfloat16_t, 64, 64, DYNAMIC, DYNAMIC>;
using RightB16_64x128 = TileRight<bfloat16_t, 64, 128, DYNAMIC, 128>;
using AccF32_64x128 = TileAccCompact<float, 64, 128, DYNAMIC, 128>;
using OChangeLowGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 64, 1>>;
using VGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 4096, 1>>;
using KNGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 2048, 1>>;
using OUBlockGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ float *o_u_block,
    __gm__ float *o_w_wide,
    __gm__ bfloat16_t *o_change_low,
    __gm__ bfloat16_t *v,
    __gm__ bfloat16_t *o_less_low,
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
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID2); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    const int32_t s0_tiles = (s + 63) / 64;
    const int32_t tiles = (b_end - b_begin) * s0_tiles * 32;  // of b0, heads0, group0 and s0
    for (int32_t tile = block; tile < tiles; tile += nblk, s0_buffer ^= 1) {
        const int32_t b0 = b_begin + tile / (s0_tiles * 32);
        const int32_t heads0 = tile / (s0_tiles * 2) % 16;
        const int32_t group0 = tile / s0_tiles % 2;
        const int32_t s0 = tile % s0_tiles * 64;
        const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
        // o, state_end: gated_delta_rule(q_n, k_n, v, g, beta, state_t, scale=1)
        MatB16_64x64 o_change_low_tile(s0_valid, s0_valid); TASSIGN(o_change_low_tile, 0x00000 + s0_buffer * 0x02000);  // L1 0x00000..0x04000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + s0_buffer));  // free again
        OChangeLowGm o_change_low_in(o_change_low + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
        TLOAD(o_change_low_tile, o_change_low_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, event_t(6 + s0_buffer));
        MatB16_64x128 v_tile(s0_valid); TASSIGN(v_tile, 0x04000 + s0_buffer * 0x04000);  // L1 0x04000..0x0c000, 2 copies
        VGm v_in(v + int64_t(b0) * s * 4096 + int64_t(s0) * 4096 + int64_t(heads0) * 256 + int64_t(group0) * 128, {s0_valid});
        TLOAD(v_tile, v_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, event_t(4 + s0_buffer));
        MatB16_64x64 o_less_low_tile(s0_valid, s0_valid); TASSIGN(o_less_low_tile, 0x0c000 + s0_buffer * 0x02000);  // L1 0x0c000..0x10000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(s0_buffer));  // free again
        OChangeLowGm o_less_low_in(o_less_low + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
        TLOAD(o_less_low_tile, o_less_low_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + s0_buffer));
        MatB16_64x128 k_n_tile(s0_valid); TASSIGN(k_n_tile, 0x10000 + s0_buffer * 0x04000);  // L1 0x10000..0x18000, 2 copies
        KNGm k_n_in(k_n + int64_t(b0) * s * 2048 + int64_t(s0) * 2048 + int64_t(heads0) * 128, {s0_valid});
        TLOAD(k_n_tile, k_n_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, event_t(s0_buffer));
        LeftB16_64x64 o_change_low_tile_l0a(s0_valid, s0_valid); TASSIGN(o_change_low_tile_l0a, 0x00000 + s0_buffer * 0x02000);  // L0A 0x00000..0x04000, 2 copies
        wait_flag(PIPE_M, PIPE_MTE1, event_t(2 + s0_buffer));  // free again
        wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(6 + s0_buffer));
        TEXTRACT(o_change_low_tile_l0a, o_change_low_tile, 0, 0);
        RightB16_64x128 v_tile_l0b(s0_valid); TASSIGN(v_tile_l0b, 0x00000 + s0_buffer * 0x04000);  // L0B 0x00000..0x08000, 2 copies
        wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(4 + s0_buffer));
        TEXTRACT(v_tile_l0b, v_tile, 0, 0);
        set_flag(PIPE_MTE1, PIPE_M, event_t(2 + s0_buffer));
        set_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + s0_buffer));
        AccF32_64x128 o_u_block_acc(s0_valid); TASSIGN(o_u_block_acc, 0x00000 + s0_buffer * 0x08000);  // L0C 0x00000..0x10000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_M, event_t(2 + s0_buffer));
        TMATMUL<AccPhase::Final>(o_u_block_acc, o_change_low_tile_l0a, v_tile_l0b);
        set_flag(PIPE_M, PIPE_MTE1, event_t(2 + s0_buffer));
        OUBlockGm o_u_block_out(o_u_block + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
        TSTORE<STPhase::Final>(o_u_block_out, o_u_block_acc);
        LeftB16_64x64 o_less_low_tile_l0a(s0_valid, s0_valid); TASSIGN(o_less_low_tile_l0a, 0x04000 + s0_buffer * 0x02000);  // L0A 0x04000..0x08000, 2 copies
        wait_flag(PIPE_M, PIPE_MTE1, event_t(s0_buffer));  // free again
        wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + s0_buffer));
        TEXTRACT(o_less_low_tile_l0a, o_less_low_tile, 0, 0);
        RightB16_64x128 k_n_tile_l0b(s0_valid); TASSIGN(k_n_tile_l0b, 0x08000 + s0_buffer * 0x04000);  // L0B 0x08000..0x10000, 2 copies
        wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(s0_buffer));
        TEXTRACT(k_n_tile_l0b, k_n_tile, 0, 0);
        set_flag(PIPE_MTE1, PIPE_M, event_t(s0_buffer));
        set_flag(PIPE_MTE1, PIPE_MTE2, event_t(s0_buffer));
        AccF32_64x128 o_w_wide_acc(s0_valid); TASSIGN(o_w_wide_acc, 0x10000 + s0_buffer * 0x08000);  // L0C 0x10000..0x20000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_M, event_t(s0_buffer));
        TMATMUL<AccPhase::Final>(o_w_wide_acc, o_less_low_tile_l0a, k_n_tile_l0b);
        set_flag(PIPE_M, PIPE_MTE1, event_t(s0_buffer));
        OUBlockGm o_w_wide_out(o_w_wide + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
        TSTORE<STPhase::Final>(o_w_wide_out, o_w_wide_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID2); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void rule_cube12(
    __gm__ float *o_u_block, __gm__ float *o_w_wide, __gm__ bfloat16_t *o_change_low, __gm__ bfloat16_t *v,
    __gm__ bfloat16_t *o_less_low, __gm__ bfloat16_t *k_n, int32_t b_begin, int32_t b_end, int32_t s, int32_t nblk)
{
    run_block(
        o_u_block, o_w_wide, o_change_low, v, o_less_low, k_n, b_begin, b_end, s, nblk,
        static_cast<int32_t>(get_block_idx()));
}
