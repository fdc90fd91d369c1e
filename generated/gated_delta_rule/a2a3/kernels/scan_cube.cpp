// scan_cube: cube kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages scan; tiles b 1, group 1, heads 1, s 64; memory L0A 16384 B, L0B 32768 B, L0C 65536 B, L1 262144 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatB16_64x128 = Tile<TileType::Mat, bfloat16_t, 64, 128, BLayout::ColMajor, DYNAMIC, 128, SLayout::RowMajor, 512>;
using MatB16_128x64 = Tile<TileType::Mat, bfloat16_t, 128, 64, BLayout::ColMajor, 128, DYNAMIC, SLayout::RowMajor, 512>;
using MatB16_128x128 = Tile<TileType::Mat, bfloat16_t, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 512>;
using LeftB16_64x128 = TileLeft<bfloat16_t, 64, 128, DYNAMIC, 128>;
using RightB16_128x128 = TileRight<bfloat16_t, 128, 128, 128, 128>;
using AccF32_64x128 = TileAcc<float, 64, 128, DYNAMIC, 128>;
using LeftB16_128x64 = TileLeft<bfloat16_t, 128, 64, 128, DYNAMIC>;
using RightB16_64x128 = TileRight<bfloat16_t, 64, 128, DYNAMIC, 128>;
using AccF32_128x128 = TileAcc<float, 128, 128, 128, 128>;
using WGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using KNGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, 1, 128>, Layout::DN>;
using BeforeSlotGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;
using RecalledGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using BeforePipe = TPipe<0, Direction::DIR_V2C, 32768, 2>;  // 2 tiles of up to 128 x 128, to the cube core
using BeforeSlot = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;
using Before2Pipe = TPipe<2, Direction::DIR_V2C, 32768, 2>;  // 2 tiles of up to 128 x 128, to the cube core
using Before2Slot = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;
using LeftPipe = TPipe<4, Direction::DIR_V2C, 16384, 2>;  // 2 tiles of up to 64 x 128, to the cube core
using LeftSlot = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
using Fresh1Pipe = TPipe<6, Direction::DIR_C2V, 32768, 2, 2, true>;  // 2 tiles of up to 64 x 128, to both vector cores
using Fresh1Slot = GlobalTensor<float, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
using StateEnd5Pipe = TPipe<8, Direction::DIR_C2V, 65536, 2, 2, true>;  // 2 tiles of up to 128 x 128, to both vector cores
using StateEnd5Slot = GlobalTensor<float, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void scan_cube(
    __gm__ float *recalled,
    __gm__ bfloat16_t *w,
    __gm__ bfloat16_t *q_n,
    __gm__ bfloat16_t *k_n,
    __gm__ bfloat16_t *before_ring,
    __gm__ bfloat16_t *before_2_ring,
    __gm__ bfloat16_t *left_ring,
    __gm__ float *fresh_1_ring,
    __gm__ float *state_end_5_ring,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk)
{
#if defined(__DAV_CUBE__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    BeforePipe before_pipe(before_ring + int64_t(block) * 32768, 0x0, 0x0);
    Before2Pipe before_2_pipe(before_2_ring + int64_t(block) * 32768, 0x0, 0x0);
    LeftPipe left_pipe(left_ring + int64_t(block) * 16384, 0x0, 0x0);
    Fresh1Pipe fresh_1_pipe(fresh_1_ring + int64_t(block) * 16384, 0x0, 0x0);
    StateEnd5Pipe state_end_5_pipe(state_end_5_ring + int64_t(block) * 32768, 0x0, 0x0);
    int32_t s0_slot = 0;  // which of 2 buffers this round of s0 uses
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 copies are free
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // 2 copies are free
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID2);  // free for the first round
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID2);  // free for the first round
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID4); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID5);  // 2 copies are free
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID6); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID7);  // 2 copies are free
    for (int32_t b0 = b_begin; b0 < b_end; ++b0) {
        for (int32_t heads0 = block; heads0 < 16; heads0 += nblk) {
            for (int32_t group0 = 0; group0 < 2; ++group0) {
                for (int32_t s0 = 0; s0 < s; s0 += 64, s0_slot ^= 1) {
                    const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
                    // fresh: u[:, :, :, s] - matmul(w[:, :, :, s], before, dtype=fp32)  [gated_delta_rule.yaml:85]
                    MatB16_64x128 w_tile(s0_valid); TASSIGN(w_tile, 0x00000 + s0_slot * 0x04000);  // L1 0x00000..0x08000, 2 copies
                    wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(6 + s0_slot));  // free again
                    WGm w_in(w + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TLOAD(w_tile, w_in);
                    set_flag(PIPE_MTE2, PIPE_MTE1, event_t(6 + s0_slot));
                    // recalled: matmul(q_n[:, :, None, s], before, dtype=fp32)  [gated_delta_rule.yaml:92]
                    MatB16_64x128 q_n_tile(s0_valid); TASSIGN(q_n_tile, 0x08000 + s0_slot * 0x04000);  // L1 0x08000..0x10000, 2 copies
                    wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(4 + s0_slot));  // free again
                    WGm q_n_in(q_n + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TLOAD(q_n_tile, q_n_in);
                    // state_end: state_end * exp(last) + matmul(turned(k_n[:, :, None, s]), left, dtype=fp32)  [gated_delta_rule.yaml:89]
                    MatB16_128x64 k_n_tile(s0_valid); TASSIGN(k_n_tile, 0x10000 + s0_slot * 0x04000);  // L1 0x10000..0x18000, 2 copies
                    wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + s0_slot));  // free again
                    KNGm k_n_in(k_n + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TLOAD(k_n_tile, k_n_in);
                    // fresh: u[:, :, :, s] - matmul(w[:, :, :, s], before, dtype=fp32)  [gated_delta_rule.yaml:85]
                    BeforeSlot before_view(before_ring);
                    TPOP<BeforePipe, BeforeSlot, TileSplitAxis::TILE_NO_SPLIT>(before_pipe, before_view);
                    __gm__ bfloat16_t *before_slot = before_view.data();
                    MatB16_128x128 before_l1; TASSIGN(before_l1, 0x18000 + s0_slot * 0x08000);  // L1 0x18000..0x28000, 2 copies
                    BeforeSlotGm before_slot_in(before_slot);
                    TLOAD(before_l1, before_slot_in);
                    set_flag(PIPE_MTE2, PIPE_MTE1, event_t(4 + s0_slot));
                    TFREE<BeforePipe, BeforeSlot, TileSplitAxis::TILE_NO_SPLIT>(before_pipe, before_view);
                    LeftB16_64x128 w_tile_l0a(s0_valid); TASSIGN(w_tile_l0a, 0x00000);  // L0A 0x00000..0x04000
                    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID2);  // free again
                    wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(6 + s0_slot));
                    TEXTRACT(w_tile_l0a, w_tile, 0, 0);
                    set_flag(PIPE_MTE1, PIPE_MTE2, event_t(6 + s0_slot));
                    RightB16_128x128 before_l1_l0b; TASSIGN(before_l1_l0b, 0x00000);  // L0B 0x00000..0x08000
                    wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(4 + s0_slot));
                    TEXTRACT(before_l1_l0b, before_l1, 0, 0);
                    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID2);
                    AccF32_64x128 fresh_1_acc(s0_valid); TASSIGN(fresh_1_acc, 0x00000);  // L0C 0x00000..0x08000
                    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID2);
                    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID2);  // free again
                    TMATMUL(fresh_1_acc, w_tile_l0a, before_l1_l0b);
                    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
                    set_flag(PIPE_M, PIPE_FIX, EVENT_ID2);
                    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID2);
                    TPUSH<Fresh1Pipe, AccF32_64x128, TileSplitAxis::TILE_NO_SPLIT>(fresh_1_pipe, fresh_1_acc);
                    set_flag(PIPE_FIX, PIPE_M, EVENT_ID1);
                    // recalled: matmul(q_n[:, :, None, s], before, dtype=fp32)  [gated_delta_rule.yaml:92]
                    Before2Slot before_2_view(before_2_ring);
                    TPOP<Before2Pipe, Before2Slot, TileSplitAxis::TILE_NO_SPLIT>(before_2_pipe, before_2_view);
                    __gm__ bfloat16_t *before_2_slot = before_2_view.data();
                    MatB16_128x128 before_l1_2; TASSIGN(before_l1_2, 0x28000 + s0_slot * 0x08000);  // L1 0x28000..0x38000, 2 copies
                    BeforeSlotGm before_2_slot_in(before_2_slot);
                    TLOAD(before_l1_2, before_2_slot_in);
                    set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + s0_slot));
                    TFREE<Before2Pipe, Before2Slot, TileSplitAxis::TILE_NO_SPLIT>(before_2_pipe, before_2_view);
                    LeftB16_64x128 q_n_tile_l0a(s0_valid); TASSIGN(q_n_tile_l0a, 0x00000);  // L0A 0x00000..0x04000
                    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
                    TEXTRACT(q_n_tile_l0a, q_n_tile, 0, 0);
                    set_flag(PIPE_MTE1, PIPE_MTE2, event_t(4 + s0_slot));
                    RightB16_128x128 before_l1_2_l0b; TASSIGN(before_l1_2_l0b, 0x00000);  // L0B 0x00000..0x08000
                    wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + s0_slot));
                    TEXTRACT(before_l1_2_l0b, before_l1_2, 0, 0);
                    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID1);
                    AccF32_64x128 recalled_block_2_acc(s0_valid); TASSIGN(recalled_block_2_acc, 0x00000);  // L0C 0x00000..0x08000
                    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID1);
                    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1);
                    TMATMUL(recalled_block_2_acc, q_n_tile_l0a, before_l1_2_l0b);
                    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
                    set_flag(PIPE_M, PIPE_FIX, EVENT_ID1);
                    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID1);
                    RecalledGm recalled_out(recalled + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TSTORE(recalled_out, recalled_block_2_acc);
                    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
                    // state_end: state_end * exp(last) + matmul(turned(k_n[:, :, None, s]), left, dtype=fp32)  [gated_delta_rule.yaml:89]
                    LeftSlot left_view(left_ring);
                    TPOP<LeftPipe, LeftSlot, TileSplitAxis::TILE_NO_SPLIT>(left_pipe, left_view);
                    __gm__ bfloat16_t *left_slot = left_view.data();
                    MatB16_64x128 left_l1(s0_valid); TASSIGN(left_l1, 0x38000 + s0_slot * 0x04000);  // L1 0x38000..0x40000, 2 copies
                    wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(s0_slot));  // free again
                    WGm left_slot_in(left_slot, {s0_valid});
                    TLOAD(left_l1, left_slot_in);
                    set_flag(PIPE_MTE2, PIPE_MTE1, event_t(s0_slot));
                    TFREE<LeftPipe, LeftSlot, TileSplitAxis::TILE_NO_SPLIT>(left_pipe, left_view);
                    LeftB16_128x64 k_n_tile_l0a(s0_valid); TASSIGN(k_n_tile_l0a, 0x00000);  // L0A 0x00000..0x04000
                    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
                    TEXTRACT(k_n_tile_l0a, k_n_tile, 0, 0);
                    set_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + s0_slot));
                    RightB16_64x128 left_l1_l0b(s0_valid); TASSIGN(left_l1_l0b, 0x00000);  // L0B 0x00000..0x04000
                    wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(s0_slot));
                    TEXTRACT(left_l1_l0b, left_l1, 0, 0);
                    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
                    set_flag(PIPE_MTE1, PIPE_MTE2, event_t(s0_slot));
                    AccF32_128x128 state_end_5_acc; TASSIGN(state_end_5_acc, 0x00000);  // L0C 0x00000..0x10000
                    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
                    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
                    TMATMUL(state_end_5_acc, k_n_tile_l0a, left_l1_l0b);
                    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
                    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID2);
                    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
                    TPUSH<StateEnd5Pipe, AccF32_128x128, TileSplitAxis::TILE_NO_SPLIT>(state_end_5_pipe, state_end_5_acc);
                    set_flag(PIPE_FIX, PIPE_M, EVENT_ID2);
                }
            }
        }
    }
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // of the last rounds of 2 copies
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // of the last rounds of 2 copies
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID2);  // of the last round
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID2);  // of the last round
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID4); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID5);  // of the last rounds of 2 copies
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID6); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID7);  // of the last rounds of 2 copies
#endif
}
