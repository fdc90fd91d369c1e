// choose: vector kernel of `moe_gate_softmax` for a2a3. Made by pyptogen; change the spec, not this file.
// stages choose; tiles at 1, i1 4; memory UB 38912 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x512 = Tile<TileType::Vec, int32_t, 1, 512, BLayout::RowMajor, 1, 512>;
using VecF32_4x512 = Tile<TileType::Vec, float, 4, 512, BLayout::RowMajor, DYNAMIC, 512>;
using VecF32_1x1024 = Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024>;
using VecF32_1x512 = Tile<TileType::Vec, float, 1, 512, BLayout::RowMajor, 1, 512>;
using VecU32_1x512 = Tile<TileType::Vec, uint32_t, 1, 512, BLayout::RowMajor, 1, 512>;
using VecF32_1x128_c32 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 32>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_1x1024_c32 = Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 32>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32>;
using VecF32_4x32 = Tile<TileType::Vec, float, 4, 32, BLayout::RowMajor, DYNAMIC, 32>;
using VecF32_4x16 = Tile<TileType::Vec, float, 4, 16, BLayout::RowMajor, DYNAMIC, 16>;
using VecF32_4x16_c10 = Tile<TileType::Vec, float, 4, 16, BLayout::RowMajor, DYNAMIC, 10>;
using VecI32_4x32 = Tile<TileType::Vec, int32_t, 4, 32, BLayout::RowMajor, DYNAMIC, 32>;
using VecI32_4x16 = Tile<TileType::Vec, int32_t, 4, 16, BLayout::RowMajor, DYNAMIC, 16>;
using VecI32_4x16_c10 = Tile<TileType::Vec, int32_t, 4, 16, BLayout::RowMajor, DYNAMIC, 10>;
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
    int32_t i1_buffer = 0;  // which of 2 buffers this iteration of i1 uses
    MrgSortExecutedNumList taken;  // how many pairs a merge took of each list
    // top, expert: topk(l, k)
    VecI32_1x512 places; TASSIGN<0x00000>(places);  // UB 0x00000..0x00800
    TCI<VecI32_1x512, int32_t, 0>(places, 0);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t i1 = block * 4; i1 < t; i1 += nblk * 4, i1_buffer ^= 1) {
        const int32_t i1_valid = t - i1 < 4 ? t - i1 : 4;
        VecF32_4x512 part(i1_valid); TASSIGN(part, 0x00800 + i1_buffer * 0x02000);  // UB 0x00800..0x04800, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));  // free again
        LGm l_in(l + int64_t(i1) * 512, {i1_valid});
        TLOAD(part, l_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
        wait_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
        for (int32_t at = 0; at < i1_valid; ++at) {
            VecF32_1x1024 pairs_row; TASSIGN(pairs_row, 0x04e00 + at * 0x01000);  // rows at.. of pairs
            VecF32_1x512 part_row; TASSIGN(part_row, 0x00800 + at * 0x00800 + i1_buffer * 0x02000);  // rows at.. of part
            VecU32_1x512 places_uint32; TASSIGN<0x00000>(places_uint32);  // same bytes as places
            TSORT32(pairs_row, part_row, places_uint32);
            VecF32_1x128_c32 kept_list; TASSIGN(kept_list, 0x08e00 + at * 0x00200);  // rows at.. of kept
            VecF32_1x128 merged; TASSIGN<0x09600>(merged);  // UB 0x09600..0x09800
            VecF32_1x1024_c32 pairs_list; TASSIGN(pairs_list, 0x04e00 + at * 0x01000);  // rows at.. of pairs
            VecF32_1x1024_c32 pairs_list_2; TASSIGN(pairs_list_2, 0x04f00 + at * 0x01000);  // columns 64.. of rows at.. of pairs
            VecF32_1x1024_c32 pairs_list_3; TASSIGN(pairs_list_3, 0x05000 + at * 0x01000);  // columns 128.. of rows at.. of pairs
            VecF32_1x1024_c32 pairs_list_4; TASSIGN(pairs_list_4, 0x05100 + at * 0x01000);  // columns 192.. of rows at.. of pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x128_c32, VecF32_1x128, VecF32_1x1024_c32, VecF32_1x1024_c32, VecF32_1x1024_c32, VecF32_1x1024_c32, false>(kept_list, taken, merged, pairs_list, pairs_list_2, pairs_list_3, pairs_list_4);
            VecF32_1x128_c32 kept_list_2; TASSIGN(kept_list_2, 0x08e80 + at * 0x00200);  // columns 32.. of rows at.. of kept
            VecF32_1x1024_c32 pairs_list_5; TASSIGN(pairs_list_5, 0x05200 + at * 0x01000);  // columns 256.. of rows at.. of pairs
            VecF32_1x1024_c32 pairs_list_6; TASSIGN(pairs_list_6, 0x05300 + at * 0x01000);  // columns 320.. of rows at.. of pairs
            VecF32_1x1024_c32 pairs_list_7; TASSIGN(pairs_list_7, 0x05400 + at * 0x01000);  // columns 384.. of rows at.. of pairs
            VecF32_1x1024_c32 pairs_list_8; TASSIGN(pairs_list_8, 0x05500 + at * 0x01000);  // columns 448.. of rows at.. of pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x128_c32, VecF32_1x128, VecF32_1x1024_c32, VecF32_1x1024_c32, VecF32_1x1024_c32, VecF32_1x1024_c32, false>(kept_list_2, taken, merged, pairs_list_5, pairs_list_6, pairs_list_7, pairs_list_8);
            VecF32_1x128_c32 kept_list_3; TASSIGN(kept_list_3, 0x08f00 + at * 0x00200);  // columns 64.. of rows at.. of kept
            VecF32_1x1024_c32 pairs_list_9; TASSIGN(pairs_list_9, 0x05600 + at * 0x01000);  // columns 512.. of rows at.. of pairs
            VecF32_1x1024_c32 pairs_list_10; TASSIGN(pairs_list_10, 0x05700 + at * 0x01000);  // columns 576.. of rows at.. of pairs
            VecF32_1x1024_c32 pairs_list_11; TASSIGN(pairs_list_11, 0x05800 + at * 0x01000);  // columns 640.. of rows at.. of pairs
            VecF32_1x1024_c32 pairs_list_12; TASSIGN(pairs_list_12, 0x05900 + at * 0x01000);  // columns 704.. of rows at.. of pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x128_c32, VecF32_1x128, VecF32_1x1024_c32, VecF32_1x1024_c32, VecF32_1x1024_c32, VecF32_1x1024_c32, false>(kept_list_3, taken, merged, pairs_list_9, pairs_list_10, pairs_list_11, pairs_list_12);
            VecF32_1x128_c32 kept_list_4; TASSIGN(kept_list_4, 0x08f80 + at * 0x00200);  // columns 96.. of rows at.. of kept
            VecF32_1x1024_c32 pairs_list_13; TASSIGN(pairs_list_13, 0x05a00 + at * 0x01000);  // columns 768.. of rows at.. of pairs
            VecF32_1x1024_c32 pairs_list_14; TASSIGN(pairs_list_14, 0x05b00 + at * 0x01000);  // columns 832.. of rows at.. of pairs
            VecF32_1x1024_c32 pairs_list_15; TASSIGN(pairs_list_15, 0x05c00 + at * 0x01000);  // columns 896.. of rows at.. of pairs
            VecF32_1x1024_c32 pairs_list_16; TASSIGN(pairs_list_16, 0x05d00 + at * 0x01000);  // columns 960.. of rows at.. of pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x128_c32, VecF32_1x128, VecF32_1x1024_c32, VecF32_1x1024_c32, VecF32_1x1024_c32, VecF32_1x1024_c32, false>(kept_list_4, taken, merged, pairs_list_13, pairs_list_14, pairs_list_15, pairs_list_16);
            VecF32_1x32 best_list; TASSIGN(best_list, 0x04c00 + at * 0x00080);  // rows at.. of best
            VecF32_1x128_c32 kept_list_5; TASSIGN(kept_list_5, 0x08e00 + at * 0x00200);  // rows at.. of kept
            VecF32_1x128_c32 kept_list_6; TASSIGN(kept_list_6, 0x08e80 + at * 0x00200);  // columns 32.. of rows at.. of kept
            VecF32_1x128_c32 kept_list_7; TASSIGN(kept_list_7, 0x08f00 + at * 0x00200);  // columns 64.. of rows at.. of kept
            VecF32_1x128_c32 kept_list_8; TASSIGN(kept_list_8, 0x08f80 + at * 0x00200);  // columns 96.. of rows at.. of kept
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x32, VecF32_1x128, VecF32_1x128_c32, VecF32_1x128_c32, VecF32_1x128_c32, VecF32_1x128_c32, false>(best_list, taken, merged, kept_list_5, kept_list_6, kept_list_7, kept_list_8);
        }
        set_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));
        VecF32_4x32 best(i1_valid); TASSIGN<0x04c00>(best);  // UB 0x04c00..0x04e00
        VecF32_4x16 values(i1_valid); TASSIGN(values, 0x04800 + i1_buffer * 0x00100);  // UB 0x04800..0x04a00, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + i1_buffer));  // free again
        TGATHER<VecF32_4x16, VecF32_4x32, MaskPattern::P0101>(values, best);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + i1_buffer));
        VecF32_4x16_c10 values_out(i1_valid); TASSIGN(values_out, 0x04800 + i1_buffer * 0x00100);  // columns 0.. of values
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + i1_buffer));
        TopGm top_out(top + int64_t(i1) * 10, {i1_valid});
        TSTORE(top_out, values_out);
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + i1_buffer));
        VecI32_4x32 best_int32(i1_valid); TASSIGN<0x04c00>(best_int32);  // same bytes as best
        VecI32_4x16 indices(i1_valid); TASSIGN(indices, 0x04a00 + i1_buffer * 0x00100);  // UB 0x04a00..0x04c00, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));  // free again
        TGATHER<VecI32_4x16, VecI32_4x32, MaskPattern::P1010>(indices, best_int32);
        set_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        VecI32_4x16_c10 indices_out(i1_valid); TASSIGN(indices_out, 0x04a00 + i1_buffer * 0x00100);  // columns 0.. of indices
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        ExpertGm expert_out(expert + int64_t(i1) * 10, {i1_valid});
        TSTORE(expert_out, indices_out);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));
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
