// rule_mixed_cube: cube kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rule; tiles b 1, group 1, heads 1, s 64; memory L0A 16384 B, L0B 32768 B, L0C 131072 B, L1 262144 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatB16_64x128 = Tile<TileType::Mat, bfloat16_t, 64, 128, BLayout::ColMajor, DYNAMIC, 128, SLayout::RowMajor, 512>;
using MatZnB16_128x64 = Tile<TileType::Mat, bfloat16_t, 128, 64, BLayout::RowMajor, 128, DYNAMIC, SLayout::ColMajor, 512>;
using MatB16_128x128 = Tile<TileType::Mat, bfloat16_t, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 512>;
using LeftB16_64x128 = TileLeft<bfloat16_t, 64, 128, DYNAMIC, 128>;
using RightB16_128x128 = TileRight<bfloat16_t, 128, 128, 128, 128>;
using AccF32_64x128 = TileAccCompact<float, 64, 128, DYNAMIC, 128>;
using LeftB16_128x64 = TileLeftCompact<bfloat16_t, 128, 64, 128, DYNAMIC>;
using RightB16_64x128 = TileRight<bfloat16_t, 64, 128, DYNAMIC, 128>;
using AccF32_128x128 = TileAcc<float, 128, 128, 128, 128>;
using OWBlockGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using QNGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 2048, 1>>;
using KNGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, 1, 2048>, Layout::DN>;
using OStateLowSlotGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;
using ORecalledBlockGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using OStateLowPipe = TPipe<0, Direction::DIR_V2C, 32768, 4>;  // 4 tiles of up to 128 x 128, to the cube core
using OStateLowSlot = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;
using OStateLow2Pipe = TPipe<2, Direction::DIR_V2C, 32768, 4>;  // 4 tiles of up to 128 x 128, to the cube core
using OStateLow2Slot = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;
using OLastingLowPipe = TPipe<4, Direction::DIR_V2C, 16384, 4>;  // 4 tiles of up to 64 x 128, to the cube core
using OLastingLowSlot = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
using OAddedPipe = TPipe<6, Direction::DIR_C2V, 65536, 4, 2, true, true>;  // 4 tiles of up to 128 x 128, to both vector cores
using OAddedSlot = GlobalTensor<float, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;
using OKnownPipe = TPipe<8, Direction::DIR_C2V, 32768, 4, 2, true, true>;  // 4 tiles of up to 64 x 128, to both vector cores
using OKnownSlot = GlobalTensor<float, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ float *o_recalled_block,
    __gm__ bfloat16_t *o_w_block,
    __gm__ bfloat16_t *q_n,
    __gm__ bfloat16_t *k_n,
    __gm__ bfloat16_t *o_state_low_fifo,
    __gm__ bfloat16_t *o_state_low_2_fifo,
    __gm__ bfloat16_t *o_lasting_low_fifo,
    __gm__ float *o_added_fifo,
    __gm__ float *o_known_fifo,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    OStateLowPipe o_state_low_pipe(o_state_low_fifo + int64_t(block) * 65536, 0x0, 0x0);
    OStateLow2Pipe o_state_low_2_pipe(o_state_low_2_fifo + int64_t(block) * 65536, 0x0, 0x0);
    OLastingLowPipe o_lasting_low_pipe(o_lasting_low_fifo + int64_t(block) * 32768, 0x0, 0x0);
    OAddedPipe o_added_pipe(o_added_fifo + int64_t(block) * 65536, 0x0, 0x0);
    OKnownPipe o_known_pipe(o_known_fifo + int64_t(block) * 32768, 0x0, 0x0);
    int32_t s0_buffer = 0;  // which of 2 buffers this iteration of s0 uses
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID2);  // free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID4); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID5);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID6); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID7);  // 2 buffers are free at first
    const int32_t tiles = (b_end - b_begin) * 32;  // of b0, heads0 and group0
    for (int32_t tile = block; tile < tiles; tile += nblk) {
        const int32_t b0 = b_begin + tile / 32;
        const int32_t heads0 = tile / 2 % 16;
        const int32_t group0 = tile % 2;
        for (int32_t s0 = 0; s0 < s; s0 += 64, s0_buffer ^= 1) {
            const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
            // o, state_end: gated_delta_rule(q_n, k_n, v, g, beta, state_t, scale=1)
            MatB16_64x128 o_w_block_tile(s0_valid); TASSIGN(o_w_block_tile, 0x00000 + s0_buffer * 0x04000);  // L1 0x00000..0x08000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(6 + s0_buffer));  // free again
            OWBlockGm o_w_block_in(o_w_block + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
            TLOAD(o_w_block_tile, o_w_block_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(6 + s0_buffer));
            MatB16_64x128 q_n_tile(s0_valid); TASSIGN(q_n_tile, 0x08000 + s0_buffer * 0x04000);  // L1 0x08000..0x10000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(4 + s0_buffer));  // free again
            QNGm q_n_in(q_n + int64_t(b0) * s * 2048 + int64_t(s0) * 2048 + int64_t(heads0) * 128, {s0_valid});
            TLOAD(q_n_tile, q_n_in);
            MatZnB16_128x64 k_n_tile(s0_valid); TASSIGN(k_n_tile, 0x10000 + s0_buffer * 0x04000);  // L1 0x10000..0x18000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + s0_buffer));  // free again
            KNGm k_n_in(k_n + int64_t(b0) * s * 2048 + int64_t(s0) * 2048 + int64_t(heads0) * 128, {s0_valid});
            TLOAD(k_n_tile, k_n_in);
            OStateLowSlot o_state_low_view(o_state_low_fifo);
            TPOP<OStateLowPipe, OStateLowSlot, TileSplitAxis::TILE_NO_SPLIT>(o_state_low_pipe, o_state_low_view);
            __gm__ bfloat16_t *o_state_low_slot = o_state_low_view.data();
            MatB16_128x128 o_state_low_l1; TASSIGN(o_state_low_l1, 0x18000 + s0_buffer * 0x08000);  // L1 0x18000..0x28000, 2 copies
            OStateLowSlotGm o_state_low_slot_in(o_state_low_slot);
            TLOAD(o_state_low_l1, o_state_low_slot_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(4 + s0_buffer));
            TFREE<OStateLowPipe, OStateLowSlot, TileSplitAxis::TILE_NO_SPLIT>(o_state_low_pipe, o_state_low_view);
            LeftB16_64x128 o_w_block_tile_l0a(s0_valid); TASSIGN<0x00000>(o_w_block_tile_l0a);  // L0A 0x00000..0x04000
            wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID2);  // free again
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(6 + s0_buffer));
            TEXTRACT(o_w_block_tile_l0a, o_w_block_tile, 0, 0);
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(6 + s0_buffer));
            RightB16_128x128 o_state_low_l1_l0b; TASSIGN<0x00000>(o_state_low_l1_l0b);  // L0B 0x00000..0x08000
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(4 + s0_buffer));
            TEXTRACT(o_state_low_l1_l0b, o_state_low_l1, 0, 0);
            set_flag(PIPE_MTE1, PIPE_M, EVENT_ID2);
            AccF32_64x128 o_known_acc(s0_valid); TASSIGN<0x00000>(o_known_acc);  // L0C 0x00000..0x08000
            wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID2);
            TMATMUL<AccPhase::Final>(o_known_acc, o_w_block_tile_l0a, o_state_low_l1_l0b);
            set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
            TPUSH<OKnownPipe, AccF32_64x128, TileSplitAxis::TILE_NO_SPLIT>(o_known_pipe, o_known_acc);
            OStateLow2Slot o_state_low_2_view(o_state_low_2_fifo);
            TPOP<OStateLow2Pipe, OStateLow2Slot, TileSplitAxis::TILE_NO_SPLIT>(o_state_low_2_pipe, o_state_low_2_view);
            __gm__ bfloat16_t *o_state_low_2_slot = o_state_low_2_view.data();
            MatB16_128x128 o_state_low_l1_2; TASSIGN(o_state_low_l1_2, 0x28000 + s0_buffer * 0x08000);  // L1 0x28000..0x38000, 2 copies
            OStateLowSlotGm o_state_low_2_slot_in(o_state_low_2_slot);
            TLOAD(o_state_low_l1_2, o_state_low_2_slot_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + s0_buffer));
            TFREE<OStateLow2Pipe, OStateLow2Slot, TileSplitAxis::TILE_NO_SPLIT>(o_state_low_2_pipe, o_state_low_2_view);
            LeftB16_64x128 q_n_tile_l0a(s0_valid); TASSIGN<0x00000>(q_n_tile_l0a);  // L0A 0x00000..0x04000
            wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
            TEXTRACT(q_n_tile_l0a, q_n_tile, 0, 0);
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(4 + s0_buffer));
            RightB16_128x128 o_state_low_l1_2_l0b; TASSIGN<0x00000>(o_state_low_l1_2_l0b);  // L0B 0x00000..0x08000
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + s0_buffer));
            TEXTRACT(o_state_low_l1_2_l0b, o_state_low_l1_2, 0, 0);
            set_flag(PIPE_MTE1, PIPE_M, EVENT_ID1);
            AccF32_64x128 o_recalled_block_acc(s0_valid); TASSIGN<0x08000>(o_recalled_block_acc);  // L0C 0x08000..0x10000
            wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID1);
            TMATMUL<AccPhase::Final>(o_recalled_block_acc, q_n_tile_l0a, o_state_low_l1_2_l0b);
            set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
            ORecalledBlockGm o_recalled_block_out(o_recalled_block + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
            TSTORE<STPhase::Final>(o_recalled_block_out, o_recalled_block_acc);
            OLastingLowSlot o_lasting_low_view(o_lasting_low_fifo);
            TPOP<OLastingLowPipe, OLastingLowSlot, TileSplitAxis::TILE_NO_SPLIT>(o_lasting_low_pipe, o_lasting_low_view);
            __gm__ bfloat16_t *o_lasting_low_slot = o_lasting_low_view.data();
            MatB16_64x128 o_lasting_low_l1(s0_valid); TASSIGN(o_lasting_low_l1, 0x38000 + s0_buffer * 0x04000);  // L1 0x38000..0x40000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(s0_buffer));  // free again
            OWBlockGm o_lasting_low_slot_in(o_lasting_low_slot, {s0_valid});
            TLOAD(o_lasting_low_l1, o_lasting_low_slot_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(s0_buffer));
            TFREE<OLastingLowPipe, OLastingLowSlot, TileSplitAxis::TILE_NO_SPLIT>(o_lasting_low_pipe, o_lasting_low_view);
            LeftB16_128x64 k_n_tile_l0a(s0_valid); TASSIGN<0x00000>(k_n_tile_l0a);  // L0A 0x00000..0x04000
            wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
            TEXTRACT(k_n_tile_l0a, k_n_tile, 0, 0);
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + s0_buffer));
            RightB16_64x128 o_lasting_low_l1_l0b(s0_valid); TASSIGN<0x00000>(o_lasting_low_l1_l0b);  // L0B 0x00000..0x04000
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(s0_buffer));
            TEXTRACT(o_lasting_low_l1_l0b, o_lasting_low_l1, 0, 0);
            set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(s0_buffer));
            AccF32_128x128 o_added_acc; TASSIGN<0x10000>(o_added_acc);  // L0C 0x10000..0x20000
            wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
            TMATMUL<AccPhase::Final>(o_added_acc, k_n_tile_l0a, o_lasting_low_l1_l0b);
            set_flag(PIPE_M, PIPE_MTE1, EVENT_ID2);
            TPUSH<OAddedPipe, AccF32_128x128, TileSplitAxis::TILE_NO_SPLIT>(o_added_pipe, o_added_acc);
        }
    }
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID2);  // drain: the last use
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID4); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID5);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID6); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID7);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void rule_mixed_cube(
    __gm__ uint64_t *ffts, __gm__ float *o_recalled_block, __gm__ bfloat16_t *o_w_block, __gm__ bfloat16_t *q_n,
    __gm__ bfloat16_t *k_n, __gm__ bfloat16_t *o_state_low_fifo, __gm__ bfloat16_t *o_state_low_2_fifo,
    __gm__ bfloat16_t *o_lasting_low_fifo, __gm__ float *o_added_fifo, __gm__ float *o_known_fifo, int32_t b_begin,
    int32_t b_end, int32_t s, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(
        o_recalled_block, o_w_block, q_n, k_n, o_state_low_fifo, o_state_low_2_fifo, o_lasting_low_fifo,
        o_added_fifo, o_known_fifo, b_begin, b_end, s, nblk, static_cast<int32_t>(get_block_idx()));
}
