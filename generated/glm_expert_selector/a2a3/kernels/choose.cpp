// choose: vector kernel of `glm_expert_selector` for a2a3. Made by pyptogen; change the spec, not this file.
// stages choose; tiles expert_order_at 1, t 4; memory UB 13248 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x160 = Tile<TileType::Vec, int32_t, 1, 160, BLayout::RowMajor, 1, 160>;
using VecF32_4x160 = Tile<TileType::Vec, float, 4, 160, BLayout::RowMajor, DYNAMIC, 160>;
using VecF32_1x320 = Tile<TileType::Vec, float, 1, 320, BLayout::RowMajor, 1, 320>;
using VecF32_1x160 = Tile<TileType::Vec, float, 1, 160, BLayout::RowMajor, 1, 160>;
using VecU32_1x160 = Tile<TileType::Vec, uint32_t, 1, 160, BLayout::RowMajor, 1, 160>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecF32_1x320_c16 = Tile<TileType::Vec, float, 1, 320, BLayout::RowMajor, 1, 16>;
using VecI32_4x16 = Tile<TileType::Vec, int32_t, 4, 16, BLayout::RowMajor, DYNAMIC, 16>;
using VecI32_4x8 = Tile<TileType::Vec, int32_t, 4, 8, BLayout::RowMajor, DYNAMIC, 8>;
using ChoiceGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 160>, Stride<1, 1, 1, 160, 1>>;
using ExpertGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 8>, Stride<1, 1, 1, 8, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *expert,
    __gm__ float *choice,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 4 buffers this iteration of t0 uses
    MrgSortExecutedNumList taken;  // how many pairs a merge took of each list
    // top, expert: topk(choice, k)
    VecI32_1x160 positions; TASSIGN<0x02800>(positions);  // UB 0x02800..0x02a80
    TCI<VecI32_1x160, int32_t, 0>(positions, 0);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    for (int32_t t0 = block * 4; t0 < t; t0 += nblk * 4, t0_buffer = (t0_buffer + 1) % 4) {
        const int32_t t0_valid = t - t0 < 4 ? t - t0 : 4;
        VecF32_4x160 choice_tile(t0_valid); TASSIGN(choice_tile, 0x00000 + t0_buffer * 0x00a00);  // UB 0x00000..0x02800, 4 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        ChoiceGm choice_in(choice + int64_t(t0) * 160, {t0_valid});
        TLOAD(choice_tile, choice_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        for (int32_t expert_order_at = 0; expert_order_at < t0_valid; ++expert_order_at) {
            VecF32_1x320 expert_order_pairs; TASSIGN<0x02d80>(expert_order_pairs);  // UB 0x02d80..0x03280
            VecF32_1x160 choice_tile_line; TASSIGN(choice_tile_line, 0x00000 + expert_order_at * 0x00280 + t0_buffer * 0x00a00);  // rows expert_order_at.. of choice_tile
            VecU32_1x160 positions_uint32; TASSIGN<0x02800>(positions_uint32);  // same bytes as positions
            pipe_barrier(PIPE_V);
            TSORT32(expert_order_pairs, choice_tile_line, positions_uint32);
            VecF32_1x16 expert_order_kept; TASSIGN<0x03380>(expert_order_kept);  // UB 0x03380..0x033c0
            VecF32_1x64 expert_order_merged; TASSIGN<0x03280>(expert_order_merged);  // UB 0x03280..0x03380
            VecF32_1x320_c16 expert_order_pairs_list; TASSIGN<0x02d80>(expert_order_pairs_list);  // columns 0.. of expert_order_pairs
            VecF32_1x320_c16 expert_order_pairs_list_2; TASSIGN<0x02e80>(expert_order_pairs_list_2);  // columns 64.. of expert_order_pairs
            VecF32_1x320_c16 expert_order_pairs_list_3; TASSIGN<0x02f80>(expert_order_pairs_list_3);  // columns 128.. of expert_order_pairs
            VecF32_1x320_c16 expert_order_pairs_list_4; TASSIGN<0x03080>(expert_order_pairs_list_4);  // columns 192.. of expert_order_pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x16, VecF32_1x64, VecF32_1x320_c16, VecF32_1x320_c16, VecF32_1x320_c16, VecF32_1x320_c16, false>(expert_order_kept, taken, expert_order_merged, expert_order_pairs_list, expert_order_pairs_list_2, expert_order_pairs_list_3, expert_order_pairs_list_4);
            VecF32_1x16 expert_order_line; TASSIGN(expert_order_line, 0x02c80 + expert_order_at * 0x00040);  // rows expert_order_at.. of expert_order
            VecF32_1x320_c16 expert_order_pairs_list_5; TASSIGN<0x03180>(expert_order_pairs_list_5);  // columns 256.. of expert_order_pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x16, VecF32_1x64, VecF32_1x16, VecF32_1x320_c16, false>(expert_order_line, taken, expert_order_merged, expert_order_kept, expert_order_pairs_list_5);
        }
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecI32_4x16 expert_order_int32(t0_valid); TASSIGN<0x02c80>(expert_order_int32);  // same bytes as expert_order
        VecI32_4x8 expert_tile(t0_valid); TASSIGN(expert_tile, 0x02a80 + t0_buffer * 0x00080);  // UB 0x02a80..0x02c80, 4 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TGATHER<VecI32_4x8, VecI32_4x16, MaskPattern::P1010>(expert_tile, expert_order_int32);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        ExpertGm expert_out(expert + int64_t(t0) * 8, {t0_valid});
        TSTORE(expert_out, expert_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void choose(__gm__ int32_t *expert, __gm__ float *choice, int32_t t, int32_t nblk)
{
    run_block(expert, choice, t, nblk, static_cast<int32_t>(get_block_idx()));
}
