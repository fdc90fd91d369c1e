// rule_mixed2_cube: cube kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rule; tiles b 1, group 1, heads 1, s 64; memory L0A 49152 B, L0B 65536 B, L0C 98304 B, L1 114688 B
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
using MatB16_64x64 = Tile<TileType::Mat, bfloat16_t, 64, 64, BLayout::ColMajor, DYNAMIC, DYNAMIC, SLayout::RowMajor, 512>;
using LeftB16_64x64 = TileLeftCompact<bfloat16_t, 64, 64, DYNAMIC, DYNAMIC>;
using RightB16_64x128 = TileRight<bfloat16_t, 64, 128, DYNAMIC, 128>;
using AccF32_64x128 = TileAccCompact<float, 64, 128, DYNAMIC, 128>;
using QNGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 2048, 1>>;
using KNGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, 1, 2048>, Layout::DN>;
using OChangeBlockGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using OPLowSlotGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using OPLowPipe = TPipe<0, Direction::DIR_V2C, 8192, 2>;  // 2 tiles of up to 64 x 64, to the cube core
using OPLowSlot = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 64>, Stride<1, 1, 1, 64, 1>>;
using ONewPipe = TPipe<2, Direction::DIR_C2V, 32768, 2, 2, true>;  // 2 tiles of up to 64 x 128, to both vector cores
using ONewSlot = GlobalTensor<float, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
using OQkPipe = TPipe<4, Direction::DIR_C2V, 16384, 2, 2, true>;  // 2 tiles of up to 64 x 64, to both vector cores
using OQkSlot = GlobalTensor<float, Shape<1, 1, 1, 64, 64>, Stride<1, 1, 1, 64, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *q_n,
    __gm__ bfloat16_t *k_n,
    __gm__ bfloat16_t *o_change_block,
    __gm__ bfloat16_t *o_p_low_fifo,
    __gm__ float *o_new_fifo,
    __gm__ float *o_qk_fifo,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    OPLowPipe o_p_low_pipe(o_p_low_fifo + int64_t(block) * 8192, 0x0, 0x0);
    ONewPipe o_new_pipe(o_new_fifo + int64_t(block) * 16384, 0x0, 0x0);
    OQkPipe o_qk_pipe(o_qk_fifo + int64_t(block) * 8192, 0x0, 0x0);
    int32_t s0_buffer = 0;  // which of 2 buffers this iteration of s0 uses
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0); set_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID2); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID2); set_flag(PIPE_FIX, PIPE_M, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    const int32_t tiles = (b_end - b_begin) * 32;  // of b0, heads0 and group0
    for (int32_t tile = block; tile < tiles; tile += nblk) {
        const int32_t b0 = b_begin + tile / 32;
        const int32_t heads0 = tile / 2 % 16;
        const int32_t group0 = tile % 2;
        for (int32_t s0 = -64; s0 < s; s0 += 64, s0_buffer ^= 1) {
            if (const int32_t s2 = s0 + 64; s2 < s) {
                const int32_t s2_valid = s - s2 < 64 ? s - s2 : 64;
                // o, state_end: gated_delta_rule(q_n, k_n, v, g, beta, state_t, scale=1)
                MatB16_64x128 q_n_tile(s2_valid); TASSIGN(q_n_tile, 0x00000 + s0_buffer * 0x04000);  // L1 0x00000..0x08000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + s0_buffer));  // free again
                QNGm q_n_in(q_n + int64_t(b0) * s * 2048 + int64_t(s2) * 2048 + int64_t(heads0) * 128, {s2_valid});
                TLOAD(q_n_tile, q_n_in);
                set_flag(PIPE_MTE2, PIPE_MTE1, event_t(4 + s0_buffer));
                MatZnB16_128x64 k_n_tile(s2_valid); TASSIGN(k_n_tile, 0x08000 + s0_buffer * 0x04000);  // L1 0x08000..0x10000, 2 copies
                KNGm k_n_in(k_n + int64_t(b0) * s * 2048 + int64_t(s2) * 2048 + int64_t(heads0) * 128, {s2_valid});
                TLOAD(k_n_tile, k_n_in);
                set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + s0_buffer));
                LeftB16_64x128 q_n_tile_l0a(s2_valid); TASSIGN(q_n_tile_l0a, 0x00000 + s0_buffer * 0x04000);  // L0A 0x00000..0x08000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(2 + s0_buffer));  // free again
                wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(4 + s0_buffer));
                TEXTRACT(q_n_tile_l0a, q_n_tile, 0, 0);
                RightB16_128x64 k_n_tile_l0b(s2_valid); TASSIGN(k_n_tile_l0b, 0x00000 + s0_buffer * 0x04000);  // L0B 0x00000..0x08000, 2 copies
                wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + s0_buffer));
                TEXTRACT(k_n_tile_l0b, k_n_tile, 0, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(2 + s0_buffer));
                set_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + s0_buffer));
                AccF32_64x64 o_qk_acc(s2_valid, s2_valid); TASSIGN(o_qk_acc, 0x00000 + s0_buffer * 0x04000);  // L0C 0x00000..0x08000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_M, event_t(2 + s0_buffer));
                wait_flag(PIPE_FIX, PIPE_M, event_t(2 + s0_buffer));  // free again
                TMATMUL(o_qk_acc, q_n_tile_l0a, k_n_tile_l0b);
                set_flag(PIPE_M, PIPE_FIX, event_t(2 + s0_buffer));
                set_flag(PIPE_M, PIPE_MTE1, event_t(2 + s0_buffer));
                wait_flag(PIPE_M, PIPE_FIX, event_t(2 + s0_buffer));
                TPUSH<OQkPipe, AccF32_64x64, TileSplitAxis::TILE_NO_SPLIT>(o_qk_pipe, o_qk_acc);
                set_flag(PIPE_FIX, PIPE_M, event_t(2 + s0_buffer));
            }
            if (const int32_t s1 = s0; -64 < s1 && s1 < s) {
                const int32_t s1_valid = s - s1 < 64 ? s - s1 : 64;
                MatB16_64x128 o_change_block_tile(s1_valid); TASSIGN(o_change_block_tile, 0x10000 + s0_buffer * 0x04000);  // L1 0x10000..0x18000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(s0_buffer));  // free again
                OChangeBlockGm o_change_block_in(o_change_block + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s1) * 128, {s1_valid});
                TLOAD(o_change_block_tile, o_change_block_in);
                OPLowSlot o_p_low_view(o_p_low_fifo);
                TPOP<OPLowPipe, OPLowSlot, TileSplitAxis::TILE_NO_SPLIT>(o_p_low_pipe, o_p_low_view);
                __gm__ bfloat16_t *o_p_low_slot = o_p_low_view.data();
                MatB16_64x64 o_p_low_l1(s1_valid, s1_valid); TASSIGN(o_p_low_l1, 0x18000 + s0_buffer * 0x02000);  // L1 0x18000..0x1c000, 2 copies
                OPLowSlotGm o_p_low_slot_in(o_p_low_slot, {s1_valid, s1_valid}, {int64_t(s1_valid)});
                TLOAD(o_p_low_l1, o_p_low_slot_in);
                set_flag(PIPE_MTE2, PIPE_MTE1, event_t(s0_buffer));
                TFREE<OPLowPipe, OPLowSlot, TileSplitAxis::TILE_NO_SPLIT>(o_p_low_pipe, o_p_low_view);
                LeftB16_64x64 o_p_low_l1_l0a(s1_valid, s1_valid); TASSIGN(o_p_low_l1_l0a, 0x08000 + s0_buffer * 0x02000);  // L0A 0x08000..0x0c000, 2 copies
                wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(s0_buffer));
                wait_flag(PIPE_M, PIPE_MTE1, event_t(s0_buffer));  // free again
                TEXTRACT(o_p_low_l1_l0a, o_p_low_l1, 0, 0);
                RightB16_64x128 o_change_block_tile_l0b(s1_valid); TASSIGN(o_change_block_tile_l0b, 0x08000 + s0_buffer * 0x04000);  // L0B 0x08000..0x10000, 2 copies
                TEXTRACT(o_change_block_tile_l0b, o_change_block_tile, 0, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(s0_buffer));
                set_flag(PIPE_MTE1, PIPE_MTE2, event_t(s0_buffer));
                AccF32_64x128 o_new_acc(s1_valid); TASSIGN(o_new_acc, 0x08000 + s0_buffer * 0x08000);  // L0C 0x08000..0x18000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_M, event_t(s0_buffer));
                wait_flag(PIPE_FIX, PIPE_M, event_t(s0_buffer));  // free again
                TMATMUL(o_new_acc, o_p_low_l1_l0a, o_change_block_tile_l0b);
                set_flag(PIPE_M, PIPE_FIX, event_t(s0_buffer));
                set_flag(PIPE_M, PIPE_MTE1, event_t(s0_buffer));
                wait_flag(PIPE_M, PIPE_FIX, event_t(s0_buffer));
                TPUSH<ONewPipe, AccF32_64x128, TileSplitAxis::TILE_NO_SPLIT>(o_new_pipe, o_new_acc);
                set_flag(PIPE_FIX, PIPE_M, event_t(s0_buffer));
            }
        }
    }
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0); wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID2); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID2); wait_flag(PIPE_FIX, PIPE_M, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void rule_mixed2_cube(
    __gm__ uint64_t *ffts, __gm__ bfloat16_t *q_n, __gm__ bfloat16_t *k_n, __gm__ bfloat16_t *o_change_block,
    __gm__ bfloat16_t *o_p_low_fifo, __gm__ float *o_new_fifo, __gm__ float *o_qk_fifo, int32_t b_begin,
    int32_t b_end, int32_t s, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(
        q_n, k_n, o_change_block, o_p_low_fifo, o_new_fifo, o_qk_fifo, b_begin, b_end, s, nblk,
        static_cast<int32_t>(get_block_idx()));
}
