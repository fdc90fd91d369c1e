// choose: vector kernel of `moe_gate_softmax` for a2a3. Made by pyptogen; change the spec, not this file.
// stages choose; tiles t 2, top_order_at 1; memory UB 16128 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x512 = Tile<TileType::Vec, int32_t, 1, 512, BLayout::RowMajor, 1, 512>;
using VecF32_2x512 = Tile<TileType::Vec, float, 2, 512, BLayout::RowMajor, DYNAMIC, 512>;
using VecF32_1x1024 = Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024>;
using VecF32_1x512 = Tile<TileType::Vec, float, 1, 512, BLayout::RowMajor, 1, 512>;
using VecU32_1x512 = Tile<TileType::Vec, uint32_t, 1, 512, BLayout::RowMajor, 1, 512>;
using VecF32_1x128_c32 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 32>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_1x1024_c32 = Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 32>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32>;
using VecF32_2x32 = Tile<TileType::Vec, float, 2, 32, BLayout::RowMajor, DYNAMIC, 32>;
using VecF32_2x16 = Tile<TileType::Vec, float, 2, 16, BLayout::RowMajor, DYNAMIC, 16>;
using VecF32_2x16_c10 = Tile<TileType::Vec, float, 2, 16, BLayout::RowMajor, DYNAMIC, 10>;
using VecI32_2x32 = Tile<TileType::Vec, int32_t, 2, 32, BLayout::RowMajor, DYNAMIC, 32>;
using VecI32_2x16 = Tile<TileType::Vec, int32_t, 2, 16, BLayout::RowMajor, DYNAMIC, 16>;
using VecI32_2x16_c10 = Tile<TileType::Vec, int32_t, 2, 16, BLayout::RowMajor, DYNAMIC, 10>;
using LGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 512, 1>>;
using TopGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 10>, Stride<1, 1, 1, 10, 1>>;
using ExpertGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 10>, Stride<1, 1, 1, 10, 1>>;

AICORE inline void run_block(
    __gm__ float *top,
    __gm__ int32_t *expert,
    __gm__ float *l,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    MrgSortExecutedNumList taken;  // how many pairs a merge took of each list
    // top, expert: topk(l, k)
    VecI32_1x512 positions; TASSIGN<0x02000>(positions);  // UB 0x02000..0x02800
    TCI<VecI32_1x512, int32_t, 0>(positions, 0);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t t0 = block * 2; t0 < t; t0 += nblk * 2, t0_buffer ^= 1) {
        const int32_t t0_valid = t - t0 < 2 ? t - t0 : 2;
        VecF32_2x512 l_tile(t0_valid); TASSIGN(l_tile, 0x00000 + t0_buffer * 0x01000);  // UB 0x00000..0x02000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        LGm l_in(l + int64_t(t0) * 512, {t0_valid});
        TLOAD(l_tile, l_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        for (int32_t top_order_at = 0; top_order_at < t0_valid; ++top_order_at) {
            VecF32_1x1024 top_order_pairs; TASSIGN<0x02b00>(top_order_pairs);  // UB 0x02b00..0x03b00
            VecF32_1x512 l_tile_line; TASSIGN(l_tile_line, 0x00000 + t0_buffer * 0x01000 + top_order_at * 0x00800);  // rows top_order_at.. of l_tile
            VecU32_1x512 positions_uint32; TASSIGN<0x02000>(positions_uint32);  // same bytes as positions
            TSORT32(top_order_pairs, l_tile_line, positions_uint32);
            VecF32_1x128_c32 top_order_kept_list; TASSIGN<0x03d00>(top_order_kept_list);  // columns 0.. of top_order_kept
            VecF32_1x128 top_order_merged; TASSIGN<0x03b00>(top_order_merged);  // UB 0x03b00..0x03d00
            VecF32_1x1024_c32 top_order_pairs_list; TASSIGN<0x02b00>(top_order_pairs_list);  // columns 0.. of top_order_pairs
            VecF32_1x1024_c32 top_order_pairs_list_2; TASSIGN<0x02c00>(top_order_pairs_list_2);  // columns 64.. of top_order_pairs
            VecF32_1x1024_c32 top_order_pairs_list_3; TASSIGN<0x02d00>(top_order_pairs_list_3);  // columns 128.. of top_order_pairs
            VecF32_1x1024_c32 top_order_pairs_list_4; TASSIGN<0x02e00>(top_order_pairs_list_4);  // columns 192.. of top_order_pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x128_c32, VecF32_1x128, VecF32_1x1024_c32, VecF32_1x1024_c32, VecF32_1x1024_c32, VecF32_1x1024_c32, false>(top_order_kept_list, taken, top_order_merged, top_order_pairs_list, top_order_pairs_list_2, top_order_pairs_list_3, top_order_pairs_list_4);
            VecF32_1x128_c32 top_order_kept_list_2; TASSIGN<0x03d80>(top_order_kept_list_2);  // columns 32.. of top_order_kept
            VecF32_1x1024_c32 top_order_pairs_list_5; TASSIGN<0x02f00>(top_order_pairs_list_5);  // columns 256.. of top_order_pairs
            VecF32_1x1024_c32 top_order_pairs_list_6; TASSIGN<0x03000>(top_order_pairs_list_6);  // columns 320.. of top_order_pairs
            VecF32_1x1024_c32 top_order_pairs_list_7; TASSIGN<0x03100>(top_order_pairs_list_7);  // columns 384.. of top_order_pairs
            VecF32_1x1024_c32 top_order_pairs_list_8; TASSIGN<0x03200>(top_order_pairs_list_8);  // columns 448.. of top_order_pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x128_c32, VecF32_1x128, VecF32_1x1024_c32, VecF32_1x1024_c32, VecF32_1x1024_c32, VecF32_1x1024_c32, false>(top_order_kept_list_2, taken, top_order_merged, top_order_pairs_list_5, top_order_pairs_list_6, top_order_pairs_list_7, top_order_pairs_list_8);
            VecF32_1x128_c32 top_order_kept_list_3; TASSIGN<0x03e00>(top_order_kept_list_3);  // columns 64.. of top_order_kept
            VecF32_1x1024_c32 top_order_pairs_list_9; TASSIGN<0x03300>(top_order_pairs_list_9);  // columns 512.. of top_order_pairs
            VecF32_1x1024_c32 top_order_pairs_list_10; TASSIGN<0x03400>(top_order_pairs_list_10);  // columns 576.. of top_order_pairs
            VecF32_1x1024_c32 top_order_pairs_list_11; TASSIGN<0x03500>(top_order_pairs_list_11);  // columns 640.. of top_order_pairs
            VecF32_1x1024_c32 top_order_pairs_list_12; TASSIGN<0x03600>(top_order_pairs_list_12);  // columns 704.. of top_order_pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x128_c32, VecF32_1x128, VecF32_1x1024_c32, VecF32_1x1024_c32, VecF32_1x1024_c32, VecF32_1x1024_c32, false>(top_order_kept_list_3, taken, top_order_merged, top_order_pairs_list_9, top_order_pairs_list_10, top_order_pairs_list_11, top_order_pairs_list_12);
            VecF32_1x128_c32 top_order_kept_list_4; TASSIGN<0x03e80>(top_order_kept_list_4);  // columns 96.. of top_order_kept
            VecF32_1x1024_c32 top_order_pairs_list_13; TASSIGN<0x03700>(top_order_pairs_list_13);  // columns 768.. of top_order_pairs
            VecF32_1x1024_c32 top_order_pairs_list_14; TASSIGN<0x03800>(top_order_pairs_list_14);  // columns 832.. of top_order_pairs
            VecF32_1x1024_c32 top_order_pairs_list_15; TASSIGN<0x03900>(top_order_pairs_list_15);  // columns 896.. of top_order_pairs
            VecF32_1x1024_c32 top_order_pairs_list_16; TASSIGN<0x03a00>(top_order_pairs_list_16);  // columns 960.. of top_order_pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x128_c32, VecF32_1x128, VecF32_1x1024_c32, VecF32_1x1024_c32, VecF32_1x1024_c32, VecF32_1x1024_c32, false>(top_order_kept_list_4, taken, top_order_merged, top_order_pairs_list_13, top_order_pairs_list_14, top_order_pairs_list_15, top_order_pairs_list_16);
            VecF32_1x32 top_order_line; TASSIGN(top_order_line, 0x02a00 + top_order_at * 0x00080);  // rows top_order_at.. of top_order
            VecF32_1x128_c32 top_order_kept_list_5; TASSIGN<0x03d00>(top_order_kept_list_5);  // columns 0.. of top_order_kept
            VecF32_1x128_c32 top_order_kept_list_6; TASSIGN<0x03d80>(top_order_kept_list_6);  // columns 32.. of top_order_kept
            VecF32_1x128_c32 top_order_kept_list_7; TASSIGN<0x03e00>(top_order_kept_list_7);  // columns 64.. of top_order_kept
            VecF32_1x128_c32 top_order_kept_list_8; TASSIGN<0x03e80>(top_order_kept_list_8);  // columns 96.. of top_order_kept
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x32, VecF32_1x128, VecF32_1x128_c32, VecF32_1x128_c32, VecF32_1x128_c32, VecF32_1x128_c32, false>(top_order_line, taken, top_order_merged, top_order_kept_list_5, top_order_kept_list_6, top_order_kept_list_7, top_order_kept_list_8);
        }
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecF32_2x32 top_order(t0_valid); TASSIGN<0x02a00>(top_order);  // UB 0x02a00..0x02b00
        VecF32_2x16 top_tile(t0_valid); TASSIGN(top_tile, 0x02800 + t0_buffer * 0x00080);  // UB 0x02800..0x02900, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + t0_buffer));  // free again
        TGATHER<VecF32_2x16, VecF32_2x32, MaskPattern::P0101>(top_tile, top_order);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_buffer));
        VecF32_2x16_c10 top_tile_first(t0_valid); TASSIGN(top_tile_first, 0x02800 + t0_buffer * 0x00080);  // columns 0.. of top_tile
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_buffer));
        TopGm top_out(top + int64_t(t0) * 10, {t0_valid});
        TSTORE(top_out, top_tile_first);
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + t0_buffer));
        VecI32_2x32 top_order_int32(t0_valid); TASSIGN<0x02a00>(top_order_int32);  // same bytes as top_order
        VecI32_2x16 expert_tile(t0_valid); TASSIGN(expert_tile, 0x02900 + t0_buffer * 0x00080);  // UB 0x02900..0x02a00, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TGATHER<VecI32_2x16, VecI32_2x32, MaskPattern::P1010>(expert_tile, top_order_int32);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        VecI32_2x16_c10 expert_tile_first(t0_valid); TASSIGN(expert_tile_first, 0x02900 + t0_buffer * 0x00080);  // columns 0.. of expert_tile
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        ExpertGm expert_out(expert + int64_t(t0) * 10, {t0_valid});
        TSTORE(expert_out, expert_tile_first);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void choose(
    __gm__ float *top, __gm__ int32_t *expert, __gm__ float *l, int32_t t, int32_t nblk)
{
    run_block(top, expert, l, t, nblk, static_cast<int32_t>(get_block_idx()));
}
