// rule_mixed_vec: vector kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rule; tiles b 1, group 1, heads 1, s 64; memory UB 180608 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, 128>;
using VecF32_8x64_r1 = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecB16_64x128 = Tile<TileType::Vec, bfloat16_t, 64, 128, BLayout::RowMajor, 64, 128>;
using VecF32_8x1_r1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1>;
using VecF32_8x64_r1m = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 1, 64>;
using VecF32_1x8_c1 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_32x1 = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecB16_32x128 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using StateTGm = GlobalTensor<float, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
using OGGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using OGammaBlockGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using OUBlockGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using OChangeBlockGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
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
    __gm__ bfloat16_t *o_change_block,
    __gm__ float *state_end,
    __gm__ float *state_t,
    __gm__ float *o_g,
    __gm__ float *o_gamma_block,
    __gm__ float *o_u_block,
    __gm__ bfloat16_t *o_state_low_fifo,
    __gm__ bfloat16_t *o_state_low_2_fifo,
    __gm__ bfloat16_t *o_lasting_low_fifo,
    __gm__ float *o_added_fifo,
    __gm__ float *o_known_fifo,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk,
    int32_t block,
    int32_t subblock)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    OStateLowPipe o_state_low_pipe(o_state_low_fifo + int64_t(block) * 65536, 0x0, 0x0);
    OStateLow2Pipe o_state_low_2_pipe(o_state_low_2_fifo + int64_t(block) * 65536, 0x0, 0x0);
    OLastingLowPipe o_lasting_low_pipe(o_lasting_low_fifo + int64_t(block) * 32768, 0x0, 0x0);
    OAddedPipe o_added_pipe(o_added_fifo + int64_t(block) * 65536, 0x0, 0x0);
    OKnownPipe o_known_pipe(o_known_fifo + int64_t(block) * 32768, 0x0, 0x0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // free at first
    const int32_t tiles = (b_end - b_begin) * 32;  // of b0, heads0 and group0
    for (int32_t tile = block; tile < tiles; tile += nblk) {
        const int32_t b0 = b_begin + tile / 32;
        const int32_t heads0 = tile / 2 % 16;
        const int32_t group0 = tile % 2;
        // o, state_end: gated_delta_rule(q_n, k_n, v, g, beta, state_t, scale=1)
        VecF32_64x128 state_t_tile; TASSIGN<0x00000>(state_t_tile);  // UB 0x00000..0x08000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // free again
        StateTGm state_t_in(state_t + int64_t(b0) * 524288 + int64_t(heads0) * 32768 + int64_t(group0) * 16384 + int64_t(subblock) * 8192);
        TLOAD(state_t_tile, state_t_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
        VecF32_64x128 o_state; TASSIGN<0x08000>(o_state);  // UB 0x08000..0x10000
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // free again
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
        TMOV(o_state, state_t_tile);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);
        for (int32_t s0 = 0; s0 < s; s0 += 64) {
            const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
            const int32_t s0_half = (s0_valid + 1) / 2;  // half of the rows for each vector core
            const int32_t s0_first = subblock * (s0_valid - s0_half);  // the first row of this core
            VecF32_8x64_r1 o_g_tile(s0_valid); TASSIGN<0x14000>(o_g_tile);  // UB 0x14000..0x14100
            wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // free again
            OGGm o_g_in(o_g + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid}, {int64_t(s)});
            TLOAD(o_g_tile, o_g_in);
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
            VecF32_1x32 o_gamma_block_tile_row(s0_half); TASSIGN<0x14100>(o_gamma_block_tile_row);  // as a row, same bytes as o_gamma_block_tile
            wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free again
            OGammaBlockGm o_gamma_block_in(o_gamma_block + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0) + int64_t(s0_first), {s0_half});
            TLOAD(o_gamma_block_tile_row, o_gamma_block_in);
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
            VecF32_32x128 o_u_block_tile(s0_half); TASSIGN<0x14180>(o_u_block_tile);  // UB 0x14180..0x18180
            wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free again
            OUBlockGm o_u_block_in(o_u_block + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128 + int64_t(s0_first) * 128, {s0_half});
            TLOAD(o_u_block_tile, o_u_block_in);
            VecB16_64x128 o_state_low; TASSIGN<0x10000>(o_state_low);  // UB 0x10000..0x14000
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free again
            TCVT(o_state_low, o_state, RoundMode::CAST_RINT, SaturationMode::ON);
            set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
            VecF32_8x64_r1 o_g_least_2(s0_valid); TASSIGN<0x14000>(o_g_least_2);  // UB 0x14000..0x14100
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
            TMAXS(o_g_least_2, o_g_tile, -104.0f);
            VecF32_8x1_r1 o_gamma_end; TASSIGN<0x28180>(o_gamma_end);  // UB 0x28180..0x281a0
            VecF32_8x64_r1m o_gamma_end_tmp; TASSIGN<0x281a0>(o_gamma_end_tmp);  // UB 0x281a0..0x282a0
            pipe_barrier(PIPE_V);
            TROWSUM(o_gamma_end, o_g_least_2, o_gamma_end_tmp);
            set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);
            VecF32_1x32 o_gamma_end_wide_row(s0_half); TASSIGN<0x281a0>(o_gamma_end_wide_row);  // as a row, same bytes as o_gamma_end_wide
            pipe_barrier(PIPE_V);
            TROWEXPAND(o_gamma_end_wide_row, o_gamma_end);
            VecF32_1x32 o_to_end_row(s0_half); TASSIGN<0x14100>(o_to_end_row);  // as a row, same bytes as o_to_end
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
            TSUB(o_to_end_row, o_gamma_end_wide_row, o_gamma_block_tile_row);
            VecF32_1x32 o_kept_row(s0_half); TASSIGN<0x14100>(o_kept_row);  // as a row, same bytes as o_kept
            pipe_barrier(PIPE_V);
            TEXP(o_kept_row, o_to_end_row);
            VecF32_1x8_c1 o_left_2_row; TASSIGN<0x28180>(o_left_2_row);  // as a row, same bytes as o_left_2
            VecF32_1x8_c1 o_gamma_end_row; TASSIGN<0x28180>(o_gamma_end_row);  // as a row, same bytes as o_gamma_end
            TEXP(o_left_2_row, o_gamma_end_row);
            VecF32_1x128 o_left_2_wide; TASSIGN<0x281a0>(o_left_2_wide);  // UB 0x281a0..0x283a0
            VecF32_8x1_r1 o_left_2; TASSIGN<0x28180>(o_left_2);  // UB 0x28180..0x281a0
            pipe_barrier(PIPE_V);
            TROWEXPAND(o_left_2_wide, o_left_2);
            pipe_barrier(PIPE_V);
            TCOLEXPANDMUL(o_state, o_state, o_left_2_wide);
            wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
            TPUSH<OStateLowPipe, VecB16_64x128, TileSplitAxis::TILE_UP_DOWN>(o_state_low_pipe, o_state_low);
            TPUSH<OStateLow2Pipe, VecB16_64x128, TileSplitAxis::TILE_UP_DOWN>(o_state_low_2_pipe, o_state_low);
            set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
            OKnownSlot o_known_view(o_known_fifo);
            TPOP<OKnownPipe, OKnownSlot, TileSplitAxis::TILE_NO_SPLIT>(o_known_pipe, o_known_view);
            __gm__ float *o_known_slot = o_known_view.data();
            VecF32_32x128 o_known(s0_half); TASSIGN<0x18180>(o_known);  // UB 0x18180..0x1c180
            OUBlockGm o_known_slot_in(o_known_slot + int64_t(s0_first) * 128, {s0_half});
            TLOAD(o_known, o_known_slot_in);
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
            TFREE<OKnownPipe, OKnownSlot, TileSplitAxis::TILE_NO_SPLIT>(o_known_pipe, o_known_view);
            VecF32_32x128 o_change_2(s0_half); TASSIGN<0x14180>(o_change_2);  // UB 0x14180..0x18180
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
            TSUB(o_change_2, o_u_block_tile, o_known);
            VecF32_32x128 o_lasting(s0_half); TASSIGN<0x28180>(o_lasting);  // UB 0x28180..0x2c180
            VecF32_32x1 o_kept(s0_half); TASSIGN<0x14100>(o_kept);  // UB 0x14100..0x14180
            pipe_barrier(PIPE_V);
            TROWEXPANDMUL(o_lasting, o_change_2, o_kept);
            set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);
            VecB16_32x128 o_lasting_low(s0_half); TASSIGN<0x1c180>(o_lasting_low);  // UB 0x1c180..0x1e180
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
            TCVT(o_lasting_low, o_lasting, RoundMode::CAST_RINT, SaturationMode::ON);
            VecB16_32x128 o_change_block_tile(s0_half); TASSIGN<0x1e180>(o_change_block_tile);  // UB 0x1e180..0x20180
            TCVT(o_change_block_tile, o_change_2, RoundMode::CAST_RINT, SaturationMode::ON);
            set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
            set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
            wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
            OChangeBlockGm o_change_block_out(o_change_block + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128 + int64_t(s0_first) * 128, {s0_half});
            TSTORE(o_change_block_out, o_change_block_tile);
            o_lasting_low_pipe.prod.setEntryOffset((s0_first - s0_half * subblock) * 256);  // the middle row of an odd number is both cores'
            TPUSH<OLastingLowPipe, VecB16_32x128, TileSplitAxis::TILE_UP_DOWN>(o_lasting_low_pipe, o_lasting_low);
            set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
            OAddedSlot o_added_view(o_added_fifo);
            TPOP<OAddedPipe, OAddedSlot, TileSplitAxis::TILE_NO_SPLIT>(o_added_pipe, o_added_view);
            __gm__ float *o_added_slot = o_added_view.data();
            VecF32_64x128 o_added; TASSIGN<0x20180>(o_added);  // UB 0x20180..0x28180
            wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free again
            StateTGm o_added_slot_in(o_added_slot + int64_t(subblock) * 8192);
            TLOAD(o_added, o_added_slot_in);
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
            TFREE<OAddedPipe, OAddedSlot, TileSplitAxis::TILE_NO_SPLIT>(o_added_pipe, o_added_view);
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
            TADD(o_state, o_state, o_added);
            set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        }
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
        StateTGm state_end_out(state_end + int64_t(b0) * 524288 + int64_t(heads0) * 32768 + int64_t(group0) * 16384 + int64_t(subblock) * 8192);
        TSTORE(state_end_out, o_state);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void rule_mixed_vec(
    __gm__ uint64_t *ffts, __gm__ bfloat16_t *o_change_block, __gm__ float *state_end, __gm__ float *state_t,
    __gm__ float *o_g, __gm__ float *o_gamma_block, __gm__ float *o_u_block, __gm__ bfloat16_t *o_state_low_fifo,
    __gm__ bfloat16_t *o_state_low_2_fifo, __gm__ bfloat16_t *o_lasting_low_fifo, __gm__ float *o_added_fifo,
    __gm__ float *o_known_fifo, int32_t b_begin, int32_t b_end, int32_t s, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(
        o_change_block, state_end, state_t, o_g, o_gamma_block, o_u_block, o_state_low_fifo, o_state_low_2_fifo,
        o_lasting_low_fifo, o_added_fifo, o_known_fifo, b_begin, b_end, s, nblk,
        static_cast<int32_t>(get_block_idx()), static_cast<int32_t>(get_subblockid()));
}
