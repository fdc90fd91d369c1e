// choose_vec2: vector kernel of `moe_select_groups` for a2a3. Made by pyptogen; change the spec, not this file.
// stages choose; tiles expert_order_at 1, t 2; memory UB 7808 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x256 = Tile<TileType::Vec, int32_t, 1, 256, BLayout::RowMajor, 1, 256>;
using VecF32_2x256 = Tile<TileType::Vec, float, 2, 256, BLayout::RowMajor, DYNAMIC, 256>;
using VecF32_1x512 = Tile<TileType::Vec, float, 1, 512, BLayout::RowMajor, 1, 512>;
using VecF32_1x256 = Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, 256>;
using VecU32_1x256 = Tile<TileType::Vec, uint32_t, 1, 256, BLayout::RowMajor, 1, 256>;
using VecF32_1x32_c16 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 16>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecF32_1x512_c16 = Tile<TileType::Vec, float, 1, 512, BLayout::RowMajor, 1, 16>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16>;
using VecI32_2x16 = Tile<TileType::Vec, int32_t, 2, 16, BLayout::RowMajor, DYNAMIC, 16>;
using VecI32_2x8 = Tile<TileType::Vec, int32_t, 2, 8, BLayout::RowMajor, DYNAMIC, 8>;
using MaskedGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 256, 1>>;
using ExpertGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 8>, Stride<1, 1, 1, 8, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *expert,
    __gm__ float *masked,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    MrgSortExecutedNumList taken;  // how many pairs a merge took of each list
    // top, expert: topk(masked, k)
    VecI32_1x256 positions; TASSIGN<0x01000>(positions);  // UB 0x01000..0x01400
    TCI<VecI32_1x256, int32_t, 0>(positions, 0);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = block * 2; t0 < t; t0 += nblk * 2, t0_buffer ^= 1) {
        const int32_t t0_valid = t - t0 < 2 ? t - t0 : 2;
        VecF32_2x256 masked_tile(t0_valid); TASSIGN(masked_tile, 0x00000 + t0_buffer * 0x00800);  // UB 0x00000..0x01000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        MaskedGm masked_in(masked + int64_t(t0) * 256, {t0_valid});
        TLOAD(masked_tile, masked_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        for (int32_t expert_order_at = 0; expert_order_at < t0_valid; ++expert_order_at) {
            VecF32_1x512 expert_order_pairs; TASSIGN<0x01500>(expert_order_pairs);  // UB 0x01500..0x01d00
            VecF32_1x256 masked_tile_line; TASSIGN(masked_tile_line, 0x00000 + expert_order_at * 0x00400 + t0_buffer * 0x00800);  // rows expert_order_at.. of masked_tile
            VecU32_1x256 positions_uint32; TASSIGN<0x01000>(positions_uint32);  // same bytes as positions
            TSORT32(expert_order_pairs, masked_tile_line, positions_uint32);
            VecF32_1x32_c16 expert_order_kept_list; TASSIGN<0x01e00>(expert_order_kept_list);  // columns 0.. of expert_order_kept
            VecF32_1x64 expert_order_merged; TASSIGN<0x01d00>(expert_order_merged);  // UB 0x01d00..0x01e00
            VecF32_1x512_c16 expert_order_pairs_list; TASSIGN<0x01500>(expert_order_pairs_list);  // columns 0.. of expert_order_pairs
            VecF32_1x512_c16 expert_order_pairs_list_2; TASSIGN<0x01600>(expert_order_pairs_list_2);  // columns 64.. of expert_order_pairs
            VecF32_1x512_c16 expert_order_pairs_list_3; TASSIGN<0x01700>(expert_order_pairs_list_3);  // columns 128.. of expert_order_pairs
            VecF32_1x512_c16 expert_order_pairs_list_4; TASSIGN<0x01800>(expert_order_pairs_list_4);  // columns 192.. of expert_order_pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x32_c16, VecF32_1x64, VecF32_1x512_c16, VecF32_1x512_c16, VecF32_1x512_c16, VecF32_1x512_c16, false>(expert_order_kept_list, taken, expert_order_merged, expert_order_pairs_list, expert_order_pairs_list_2, expert_order_pairs_list_3, expert_order_pairs_list_4);
            VecF32_1x32_c16 expert_order_kept_list_2; TASSIGN<0x01e40>(expert_order_kept_list_2);  // columns 16.. of expert_order_kept
            VecF32_1x512_c16 expert_order_pairs_list_5; TASSIGN<0x01900>(expert_order_pairs_list_5);  // columns 256.. of expert_order_pairs
            VecF32_1x512_c16 expert_order_pairs_list_6; TASSIGN<0x01a00>(expert_order_pairs_list_6);  // columns 320.. of expert_order_pairs
            VecF32_1x512_c16 expert_order_pairs_list_7; TASSIGN<0x01b00>(expert_order_pairs_list_7);  // columns 384.. of expert_order_pairs
            VecF32_1x512_c16 expert_order_pairs_list_8; TASSIGN<0x01c00>(expert_order_pairs_list_8);  // columns 448.. of expert_order_pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x32_c16, VecF32_1x64, VecF32_1x512_c16, VecF32_1x512_c16, VecF32_1x512_c16, VecF32_1x512_c16, false>(expert_order_kept_list_2, taken, expert_order_merged, expert_order_pairs_list_5, expert_order_pairs_list_6, expert_order_pairs_list_7, expert_order_pairs_list_8);
            VecF32_1x16 expert_order_line; TASSIGN(expert_order_line, 0x01480 + expert_order_at * 0x00040);  // rows expert_order_at.. of expert_order
            VecF32_1x32_c16 expert_order_kept_list_3; TASSIGN<0x01e00>(expert_order_kept_list_3);  // columns 0.. of expert_order_kept
            VecF32_1x32_c16 expert_order_kept_list_4; TASSIGN<0x01e40>(expert_order_kept_list_4);  // columns 16.. of expert_order_kept
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x16, VecF32_1x64, VecF32_1x32_c16, VecF32_1x32_c16, false>(expert_order_line, taken, expert_order_merged, expert_order_kept_list_3, expert_order_kept_list_4);
        }
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecI32_2x16 expert_order_int32(t0_valid); TASSIGN<0x01480>(expert_order_int32);  // same bytes as expert_order
        VecI32_2x8 expert_tile(t0_valid); TASSIGN(expert_tile, 0x01400 + t0_buffer * 0x00040);  // UB 0x01400..0x01480, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TGATHER<VecI32_2x8, VecI32_2x16, MaskPattern::P1010>(expert_tile, expert_order_int32);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        ExpertGm expert_out(expert + int64_t(t0) * 8, {t0_valid});
        TSTORE(expert_out, expert_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void choose_vec2(__gm__ int32_t *expert, __gm__ float *masked, int32_t t, int32_t nblk)
{
    run_block(expert, masked, t, nblk, static_cast<int32_t>(get_block_idx()));
}
