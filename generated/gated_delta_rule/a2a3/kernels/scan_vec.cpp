// scan_vec: vector kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages scan; tiles b 1, group 1, heads 1, s 64; memory UB 81920 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, 128>;
using VecB16_64x128 = Tile<TileType::Vec, bfloat16_t, 64, 128, BLayout::RowMajor, 64, 128>;
using VecF32_8x64_r1 = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x1_r1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1>;
using VecF32_8x64_r1m = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 1, 64>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x8_c1 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_32x1 = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecB16_32x128 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using StateTGm = GlobalTensor<float, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
using GammaGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using GammaGm2 = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using UGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using ChangeGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
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

extern "C" __global__ AICORE void scan_vec(
    __gm__ bfloat16_t *change,
    __gm__ float *state_out,
    __gm__ float *state_t,
    __gm__ float *gamma,
    __gm__ float *u,
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
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const int32_t lane = static_cast<int32_t>(get_subblockid());  // which of the two vector cores beside the cube core
    BeforePipe before_pipe(before_ring + int64_t(block) * 32768, 0x0, 0x0);
    Before2Pipe before_2_pipe(before_2_ring + int64_t(block) * 32768, 0x0, 0x0);
    LeftPipe left_pipe(left_ring + int64_t(block) * 16384, 0x0, 0x0);
    Fresh1Pipe fresh_1_pipe(fresh_1_ring + int64_t(block) * 16384, 0x0, 0x0);
    StateEnd5Pipe state_end_5_pipe(state_end_5_ring + int64_t(block) * 32768, 0x0, 0x0);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free for the first round
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // free for the first round
    for (int32_t b0 = b_begin; b0 < b_end; ++b0) {
        for (int32_t heads0 = block; heads0 < 16; heads0 += nblk) {
            for (int32_t group0 = 0; group0 < 2; ++group0) {
                // state_end: state_t  [gated_delta_rule.yaml:82]
                VecF32_64x128 state_t_tile; TASSIGN(state_t_tile, 0x00000);  // UB 0x00000..0x08000
                wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // free again
                StateTGm state_t_in(state_t + int64_t(b0) * 524288 + int64_t(heads0) * 32768 + int64_t(group0) * 16384 + int64_t(lane) * 8192);
                TLOAD(state_t_tile, state_t_in);
                set_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
                VecF32_64x128 state_end; TASSIGN(state_end, 0x08000);  // UB 0x08000..0x10000
                wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
                wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
                TMOV(state_end, state_t_tile);
                set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
                wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
                for (int32_t s0 = 0; s0 < s; s0 += 64) {
                    const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
                    const int32_t s0_share = (s0_valid + 1) / 2;  // rows of each vector core
                    const int32_t s0_first = lane * (s0_valid - s0_share);  // this one's first
                    // before: cast(state_end, bf16)  [gated_delta_rule.yaml:84]
                    VecB16_64x128 before; TASSIGN(before, 0x00000);  // UB 0x00000..0x04000
                    pipe_barrier(PIPE_V);
                    TCVT(before, state_end, RoundMode::CAST_RINT);
                    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
                    // last: amin(gamma[:, :, :, None, s], axis=-1, keepdim=true)  [gated_delta_rule.yaml:86]
                    VecF32_8x64_r1 gamma_tile(s0_valid); TASSIGN(gamma_tile, 0x04000);  // UB 0x04000..0x04100
                    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free again
                    GammaGm gamma_in(gamma + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid}, {int64_t(s)});
                    TLOAD(gamma_tile, gamma_in);
                    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
                    VecF32_8x1_r1 last; TASSIGN(last, 0x04100);  // UB 0x04100..0x04120
                    VecF32_8x64_r1m last_tmp; TASSIGN(last_tmp, 0x04120);  // UB 0x04120..0x04220
                    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
                    TROWMIN(last, gamma_tile, last_tmp);
                    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
                    // left: cast(fresh * exp(last - gamma[:, :, :, s, None]), bf16)  [gated_delta_rule.yaml:87]
                    VecF32_1x32 gamma_tile_2_row(s0_share); TASSIGN(gamma_tile_2_row, 0x04000);  // as a row, same bytes as gamma_tile_2
                    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
                    GammaGm2 gamma_in_2(gamma + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0) + int64_t(s0_first), {s0_share});
                    TLOAD(gamma_tile_2_row, gamma_in_2);
                    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
                    VecF32_1x32 last_wide_row(s0_share); TASSIGN(last_wide_row, 0x04080);  // as a row, same bytes as last_wide
                    pipe_barrier(PIPE_V);
                    TROWEXPAND(last_wide_row, last);
                    VecF32_1x32 left_2_row(s0_share); TASSIGN(left_2_row, 0x04000);  // as a row, same bytes as left_2
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
                    TSUB(left_2_row, last_wide_row, gamma_tile_2_row);
                    VecF32_1x32 left_3_row(s0_share); TASSIGN(left_3_row, 0x04000);  // as a row, same bytes as left_3
                    pipe_barrier(PIPE_V);
                    TEXP(left_3_row, left_2_row);
                    // state_end: state_end * exp(last) + matmul(turned(k_n[:, :, None, s]), left, dtype=fp32)  [gated_delta_rule.yaml:89]
                    VecF32_1x8_c1 state_end_1_row; TASSIGN(state_end_1_row, 0x04080);  // as a row, same bytes as state_end_1
                    VecF32_1x8_c1 last_row; TASSIGN(last_row, 0x04100);  // as a row, same bytes as last
                    TEXP(state_end_1_row, last_row);
                    VecF32_1x128 state_end_1_wide; TASSIGN(state_end_1_wide, 0x040a0);  // UB 0x040a0..0x042a0
                    VecF32_8x1_r1 state_end_1; TASSIGN(state_end_1, 0x04080);  // UB 0x04080..0x040a0
                    pipe_barrier(PIPE_V);
                    TROWEXPAND(state_end_1_wide, state_end_1);
                    pipe_barrier(PIPE_V);
                    TCOLEXPANDMUL(state_end, state_end, state_end_1_wide);
                    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
                    // fresh: u[:, :, :, s] - matmul(w[:, :, :, s], before, dtype=fp32)  [gated_delta_rule.yaml:85]
                    TPUSH<BeforePipe, VecB16_64x128, TileSplitAxis::TILE_UP_DOWN>(before_pipe, before);
                    // recalled: matmul(q_n[:, :, None, s], before, dtype=fp32)  [gated_delta_rule.yaml:92]
                    TPUSH<Before2Pipe, VecB16_64x128, TileSplitAxis::TILE_UP_DOWN>(before_2_pipe, before);
                    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);
                    // fresh: u[:, :, :, s] - matmul(w[:, :, :, s], before, dtype=fp32)  [gated_delta_rule.yaml:85]
                    VecF32_32x128 u_tile(s0_share); TASSIGN(u_tile, 0x00000);  // UB 0x00000..0x04000
                    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);
                    UGm u_in(u + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128 + int64_t(s0_first) * 128, {s0_share});
                    TLOAD(u_tile, u_in);
                    Fresh1Slot fresh_1_view(fresh_1_ring);
                    TPOP<Fresh1Pipe, Fresh1Slot, TileSplitAxis::TILE_NO_SPLIT>(fresh_1_pipe, fresh_1_view);
                    __gm__ float *fresh_1_slot = fresh_1_view.data();
                    VecF32_32x128 fresh_1(s0_share); TASSIGN(fresh_1, 0x10000);  // UB 0x10000..0x14000
                    UGm fresh_1_slot_in(fresh_1_slot + int64_t(s0_first) * 128, {s0_share});
                    TLOAD(fresh_1, fresh_1_slot_in);
                    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
                    TFREE<Fresh1Pipe, Fresh1Slot, TileSplitAxis::TILE_NO_SPLIT>(fresh_1_pipe, fresh_1_view);
                    VecF32_32x128 fresh(s0_share); TASSIGN(fresh, 0x00000);  // UB 0x00000..0x04000
                    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
                    TSUB(fresh, u_tile, fresh_1);
                    // left: cast(fresh * exp(last - gamma[:, :, :, s, None]), bf16)  [gated_delta_rule.yaml:87]
                    VecF32_32x128 left_4(s0_share); TASSIGN(left_4, 0x10000);  // UB 0x10000..0x14000
                    VecF32_32x1 left_3(s0_share); TASSIGN(left_3, 0x04000);  // UB 0x04000..0x04080
                    pipe_barrier(PIPE_V);
                    TROWEXPANDMUL(left_4, fresh, left_3);
                    VecB16_32x128 left(s0_share); TASSIGN(left, 0x04000);  // UB 0x04000..0x06000
                    pipe_barrier(PIPE_V);
                    TCVT(left, left_4, RoundMode::CAST_RINT);
                    // change: cast(fresh, bf16)  [gated_delta_rule.yaml:91]
                    VecB16_32x128 change_block(s0_share); TASSIGN(change_block, 0x06000);  // UB 0x06000..0x08000
                    TCVT(change_block, fresh, RoundMode::CAST_RINT);
                    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                    ChangeGm change_out(change + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128 + int64_t(s0_first) * 128, {s0_share});
                    TSTORE(change_out, change_block);
                    // state_end: state_end * exp(last) + matmul(turned(k_n[:, :, None, s]), left, dtype=fp32)  [gated_delta_rule.yaml:89]
                    left_pipe.prod.setEntryOffset((s0_first - lane * s0_share) * 256);  // the middle row of an odd number is both cores'
                    TPUSH<LeftPipe, VecB16_32x128, TileSplitAxis::TILE_UP_DOWN>(left_pipe, left);
                    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
                    StateEnd5Slot state_end_5_view(state_end_5_ring);
                    TPOP<StateEnd5Pipe, StateEnd5Slot, TileSplitAxis::TILE_NO_SPLIT>(state_end_5_pipe, state_end_5_view);
                    __gm__ float *state_end_5_slot = state_end_5_view.data();
                    VecF32_64x128 state_end_5; TASSIGN(state_end_5, 0x00000);  // UB 0x00000..0x08000
                    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
                    StateTGm state_end_5_slot_in(state_end_5_slot + int64_t(lane) * 8192);
                    TLOAD(state_end_5, state_end_5_slot_in);
                    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                    TFREE<StateEnd5Pipe, StateEnd5Slot, TileSplitAxis::TILE_NO_SPLIT>(state_end_5_pipe, state_end_5_view);
                    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                    TADD(state_end, state_end, state_end_5);
                    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);
                }
                set_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
                set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);
                wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
                // state_end: state_t  [gated_delta_rule.yaml:82]
                StateTGm state_out_out(state_out + int64_t(b0) * 524288 + int64_t(heads0) * 32768 + int64_t(group0) * 16384 + int64_t(lane) * 8192);
                TSTORE(state_out_out, state_end);
                set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
            }
        }
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // of the last round
#endif
}
