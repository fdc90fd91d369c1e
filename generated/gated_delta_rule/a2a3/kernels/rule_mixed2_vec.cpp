// rule_mixed2_vec: vector kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rule; tiles b 1, group 1, heads 1, s 64; memory UB 124032 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x64_r1 = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecI32_1x32 = Tile<TileType::Vec, int32_t, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_32x64 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_32x1 = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecB16_32x64 = Tile<TileType::Vec, bfloat16_t, 32, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecB16_32x128 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using OGammaBlockGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using OGammaBlockGm2 = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using ORecalledBlockGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using OQkSlotGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using OReadBlockGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using OPLowPipe = TPipe<0, Direction::DIR_V2C, 8192, 2>;  // 2 tiles of up to 64 x 64, to the cube core
using OPLowSlot = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 64>, Stride<1, 1, 1, 64, 1>>;
using ONewPipe = TPipe<2, Direction::DIR_C2V, 32768, 2, 2, true>;  // 2 tiles of up to 64 x 128, to both vector cores
using ONewSlot = GlobalTensor<float, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
using OQkPipe = TPipe<4, Direction::DIR_C2V, 16384, 2, 2, true>;  // 2 tiles of up to 64 x 64, to both vector cores
using OQkSlot = GlobalTensor<float, Shape<1, 1, 1, 64, 64>, Stride<1, 1, 1, 64, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *o_read_block,
    __gm__ float *o_gamma_block,
    __gm__ float *o_recalled_block,
    __gm__ bfloat16_t *o_p_low_fifo,
    __gm__ float *o_new_fifo,
    __gm__ float *o_qk_fifo,
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
    OPLowPipe o_p_low_pipe(o_p_low_fifo + int64_t(block) * 8192, 0x0, 0x0);
    ONewPipe o_new_pipe(o_new_fifo + int64_t(block) * 16384, 0x0, 0x0);
    OQkPipe o_qk_pipe(o_qk_fifo + int64_t(block) * 8192, 0x0, 0x0);
    int32_t s0_buffer = 0;  // which of 2 buffers this iteration of s0 uses
    set_flag(PIPE_V, PIPE_S, EVENT_ID0);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_S, EVENT_ID1);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // 2 buffers are free at first
    const int32_t tiles = (b_end - b_begin) * 32;  // of b0, heads0 and group0
    for (int32_t tile = block; tile < tiles; tile += nblk) {
        const int32_t b0 = b_begin + tile / 32;
        const int32_t heads0 = tile / 2 % 16;
        const int32_t group0 = tile % 2;
        for (int32_t s0 = 0; s0 < s; s0 += 64, s0_buffer ^= 1) {
            const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
            const int32_t s0_share = (s0_valid + 1) / 2;  // rows of each vector core
            const int32_t s0_first = subblock * (s0_valid - s0_share);  // the first row of this one
            // o, state_end: gated_delta_rule(q_n, k_n, v, g, beta, state_t, scale=1)
            VecF32_1x32 o_gamma_block_tile_row(s0_share); TASSIGN(o_gamma_block_tile_row, 0x00000 + s0_buffer * 0x00080);  // as a row, same bytes as o_gamma_block_tile
            wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + s0_buffer));  // free again
            OGammaBlockGm o_gamma_block_in(o_gamma_block + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0) + int64_t(s0_first), {s0_share});
            TLOAD(o_gamma_block_tile_row, o_gamma_block_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(6 + s0_buffer));
            VecF32_8x64_r1 o_gamma_block_tile_2(s0_valid); TASSIGN(o_gamma_block_tile_2, 0x00100 + s0_buffer * 0x00100);  // UB 0x00100..0x00300, 2 copies
            OGammaBlockGm2 o_gamma_block_in_2(o_gamma_block + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid}, {int64_t(s)});
            TLOAD(o_gamma_block_tile_2, o_gamma_block_in_2);
            set_flag(PIPE_MTE2, PIPE_V, event_t(4 + s0_buffer));
            VecF32_32x128 o_recalled_block_tile(s0_share); TASSIGN(o_recalled_block_tile, 0x06300 + s0_buffer * 0x04000);  // UB 0x06300..0x0e300, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + s0_buffer));  // free again
            ORecalledBlockGm o_recalled_block_in(o_recalled_block + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128 + int64_t(s0_first) * 128, {s0_share});
            TLOAD(o_recalled_block_tile, o_recalled_block_in);
            VecI32_1x32 o_column_6_row(s0_share); TASSIGN<0x1a300>(o_column_6_row);  // as a row, same bytes as o_column_6
            wait_flag(PIPE_V, PIPE_S, EVENT_ID1);  // free again
            TCI<VecI32_1x32, int32_t, 0>(o_column_6_row, s0_first);
            set_flag(PIPE_S, PIPE_V, EVENT_ID1);
            VecF32_1x32 o_column_at_3_row(s0_share); TASSIGN<0x1a380>(o_column_at_3_row);  // as a row, same bytes as o_column_at_3
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_S, PIPE_V, EVENT_ID1);
            TCVT(o_column_at_3_row, o_column_6_row, RoundMode::CAST_RINT, SaturationMode::ON);
            VecI32_1x64 o_row_7(s0_valid); TASSIGN<0x1a400>(o_row_7);  // UB 0x1a400..0x1a500
            wait_flag(PIPE_V, PIPE_S, EVENT_ID0);  // free again
            TCI<VecI32_1x64, int32_t, 0>(o_row_7, 0);
            set_flag(PIPE_S, PIPE_V, EVENT_ID0);
            VecF32_1x64 o_row_at_3(s0_valid); TASSIGN<0x1a500>(o_row_at_3);  // UB 0x1a500..0x1a600
            wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
            TCVT(o_row_at_3, o_row_7, RoundMode::CAST_RINT, SaturationMode::ON);
            VecF32_1x32 o_column_own_2_row(s0_share); TASSIGN<0x1a300>(o_column_own_2_row);  // as a row, same bytes as o_column_own_2
            pipe_barrier(PIPE_V);
            TADDS(o_column_own_2_row, o_column_at_3_row, 0.5f);
            VecF32_1x32 o_column_far_2_row(s0_share); TASSIGN<0x1a300>(o_column_far_2_row);  // as a row, same bytes as o_column_far_2
            pipe_barrier(PIPE_V);
            TMULS(o_column_far_2_row, o_column_own_2_row, 1e+30f);
            VecF32_1x64 o_row_far_2(s0_valid); TASSIGN<0x1a380>(o_row_far_2);  // UB 0x1a380..0x1a480
            TMULS(o_row_far_2, o_row_at_3, 1e+30f);
            VecF32_32x64 o_10(s0_share, s0_valid); TASSIGN<0x1a480>(o_10);  // UB 0x1a480..0x1c480
            VecF32_32x1 o_column_far_2(s0_share); TASSIGN<0x1a300>(o_column_far_2);  // UB 0x1a300..0x1a380
            pipe_barrier(PIPE_V);
            TROWEXPAND(o_10, o_column_far_2);
            pipe_barrier(PIPE_V);
            TCOLEXPANDSUB(o_10, o_10, o_row_far_2);
            VecF32_32x64 o_passed_2(s0_share, s0_valid); TASSIGN<0x1c480>(o_passed_2);  // UB 0x1c480..0x1e480
            VecF32_32x1 o_gamma_block_tile(s0_share); TASSIGN(o_gamma_block_tile, 0x00000 + s0_buffer * 0x00080);  // UB 0x00000..0x00100, 2 copies
            wait_flag(PIPE_MTE2, PIPE_V, event_t(6 + s0_buffer));
            TROWEXPAND(o_passed_2, o_gamma_block_tile);
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + s0_buffer));
            TCOLEXPANDSUB(o_passed_2, o_passed_2, o_gamma_block_tile_2);
            VecF32_32x64 o_passed_seen_2(s0_share, s0_valid); TASSIGN<0x1a480>(o_passed_seen_2);  // UB 0x1a480..0x1c480
            pipe_barrier(PIPE_V);
            TMIN(o_passed_seen_2, o_passed_2, o_10);
            VecF32_32x64 o_since_2(s0_share, s0_valid); TASSIGN<0x1a480>(o_since_2);  // UB 0x1a480..0x1c480
            pipe_barrier(PIPE_V);
            TEXP(o_since_2, o_passed_seen_2);
            OQkSlot o_qk_view(o_qk_fifo);
            TPOP<OQkPipe, OQkSlot, TileSplitAxis::TILE_NO_SPLIT>(o_qk_pipe, o_qk_view);
            __gm__ float *o_qk_slot = o_qk_view.data();
            VecF32_32x64 o_qk(s0_share, s0_valid); TASSIGN(o_qk, 0x00300 + s0_buffer * 0x02000);  // UB 0x00300..0x04300, 2 copies
            OQkSlotGm o_qk_slot_in(o_qk_slot + int64_t(s0_first) * s0_valid, {s0_share, s0_valid}, {int64_t(s0_valid)});
            TLOAD(o_qk, o_qk_slot_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(2 + s0_buffer));
            TFREE<OQkPipe, OQkSlot, TileSplitAxis::TILE_NO_SPLIT>(o_qk_pipe, o_qk_view);
            VecF32_32x64 o_p(s0_share, s0_valid); TASSIGN<0x1a480>(o_p);  // UB 0x1a480..0x1c480
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + s0_buffer));
            TMUL(o_p, o_qk, o_since_2);
            VecB16_32x64 o_p_low(s0_share, s0_valid); TASSIGN(o_p_low, 0x04300 + s0_buffer * 0x01000);  // UB 0x04300..0x06300, 2 copies
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + s0_buffer));  // free again
            TCVT(o_p_low, o_p, RoundMode::CAST_RINT, SaturationMode::ON);
            set_flag(PIPE_V, PIPE_MTE3, event_t(2 + s0_buffer));
            VecF32_1x32 o_left_3_row(s0_share); TASSIGN<0x1a300>(o_left_3_row);  // as a row, same bytes as o_left_3
            TEXP(o_left_3_row, o_gamma_block_tile_row);
            set_flag(PIPE_V, PIPE_MTE2, event_t(4 + s0_buffer));
            VecF32_32x128 o_old(s0_share); TASSIGN<0x1a380>(o_old);  // UB 0x1a380..0x1e380
            VecF32_32x1 o_left_3(s0_share); TASSIGN<0x1a300>(o_left_3);  // UB 0x1a300..0x1a380
            pipe_barrier(PIPE_V);
            TROWEXPANDMUL(o_old, o_recalled_block_tile, o_left_3);
            set_flag(PIPE_V, PIPE_S, EVENT_ID1);
            set_flag(PIPE_V, PIPE_MTE2, event_t(2 + s0_buffer));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + s0_buffer));
            o_p_low_pipe.prod.setEntryOffset((s0_first - s0_share * subblock) * s0_valid * 2);  // the middle row of an odd number is both cores'
            TPUSH<OPLowPipe, VecB16_32x64, TileSplitAxis::TILE_UP_DOWN>(o_p_low_pipe, o_p_low);
            set_flag(PIPE_MTE3, PIPE_V, event_t(2 + s0_buffer));
            ONewSlot o_new_view(o_new_fifo);
            TPOP<ONewPipe, ONewSlot, TileSplitAxis::TILE_NO_SPLIT>(o_new_pipe, o_new_view);
            __gm__ float *o_new_slot = o_new_view.data();
            VecF32_32x128 o_new(s0_share); TASSIGN(o_new, 0x0e300 + s0_buffer * 0x04000);  // UB 0x0e300..0x16300, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(s0_buffer));  // free again
            ORecalledBlockGm o_new_slot_in(o_new_slot + int64_t(s0_first) * 128, {s0_share});
            TLOAD(o_new, o_new_slot_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(s0_buffer));
            TFREE<ONewPipe, ONewSlot, TileSplitAxis::TILE_NO_SPLIT>(o_new_pipe, o_new_view);
            VecF32_32x128 o_read(s0_share); TASSIGN<0x1a380>(o_read);  // UB 0x1a380..0x1e380
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(s0_buffer));
            TADD(o_read, o_old, o_new);
            set_flag(PIPE_V, PIPE_MTE2, event_t(s0_buffer));
            VecB16_32x128 o_read_block_tile(s0_share); TASSIGN(o_read_block_tile, 0x16300 + s0_buffer * 0x02000);  // UB 0x16300..0x1a300, 2 copies
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, event_t(s0_buffer));  // free again
            TCVT(o_read_block_tile, o_read, RoundMode::CAST_RINT, SaturationMode::ON);
            set_flag(PIPE_V, PIPE_MTE3, event_t(s0_buffer));
            set_flag(PIPE_V, PIPE_S, EVENT_ID0);
            wait_flag(PIPE_V, PIPE_MTE3, event_t(s0_buffer));
            OReadBlockGm o_read_block_out(o_read_block + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128 + int64_t(s0_first) * 128, {s0_share});
            TSTORE(o_read_block_out, o_read_block_tile);
            set_flag(PIPE_MTE3, PIPE_V, event_t(s0_buffer));
        }
    }
    wait_flag(PIPE_V, PIPE_S, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_S, EVENT_ID1);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void rule_mixed2_vec(
    __gm__ uint64_t *ffts, __gm__ bfloat16_t *o_read_block, __gm__ float *o_gamma_block,
    __gm__ float *o_recalled_block, __gm__ bfloat16_t *o_p_low_fifo, __gm__ float *o_new_fifo,
    __gm__ float *o_qk_fifo, int32_t b_begin, int32_t b_end, int32_t s, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(
        o_read_block, o_gamma_block, o_recalled_block, o_p_low_fifo, o_new_fifo, o_qk_fifo, b_begin, b_end, s, nblk,
        static_cast<int32_t>(get_block_idx()), static_cast<int32_t>(get_subblockid()));
}
