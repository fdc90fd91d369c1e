// choose: vector kernel of `moe_gate_softmax` for a2a3. Made by pyptogen; change the spec, not this file.
// stages choose; tiles i1 4, pairs_at 1; memory UB 25088 B
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
        for (int32_t pairs_at = 0; pairs_at < i1_valid; ++pairs_at) {
            VecF32_1x1024 pairs_pairs; TASSIGN<0x04e00>(pairs_pairs);  // UB 0x04e00..0x05e00
            VecF32_1x512 part_line; TASSIGN(part_line, 0x00800 + i1_buffer * 0x02000 + pairs_at * 0x00800);  // rows pairs_at.. of part
            VecU32_1x512 places_uint32; TASSIGN<0x00000>(places_uint32);  // same bytes as places
            TSORT32(pairs_pairs, part_line, places_uint32);
            VecF32_1x128_c32 pairs_kept_list; TASSIGN<0x06000>(pairs_kept_list);  // columns 0.. of pairs_kept
            VecF32_1x128 pairs_merged; TASSIGN<0x05e00>(pairs_merged);  // UB 0x05e00..0x06000
            VecF32_1x1024_c32 pairs_pairs_list; TASSIGN<0x04e00>(pairs_pairs_list);  // columns 0.. of pairs_pairs
            VecF32_1x1024_c32 pairs_pairs_list_2; TASSIGN<0x04f00>(pairs_pairs_list_2);  // columns 64.. of pairs_pairs
            VecF32_1x1024_c32 pairs_pairs_list_3; TASSIGN<0x05000>(pairs_pairs_list_3);  // columns 128.. of pairs_pairs
            VecF32_1x1024_c32 pairs_pairs_list_4; TASSIGN<0x05100>(pairs_pairs_list_4);  // columns 192.. of pairs_pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x128_c32, VecF32_1x128, VecF32_1x1024_c32, VecF32_1x1024_c32, VecF32_1x1024_c32, VecF32_1x1024_c32, false>(pairs_kept_list, taken, pairs_merged, pairs_pairs_list, pairs_pairs_list_2, pairs_pairs_list_3, pairs_pairs_list_4);
            VecF32_1x128_c32 pairs_kept_list_2; TASSIGN<0x06080>(pairs_kept_list_2);  // columns 32.. of pairs_kept
            VecF32_1x1024_c32 pairs_pairs_list_5; TASSIGN<0x05200>(pairs_pairs_list_5);  // columns 256.. of pairs_pairs
            VecF32_1x1024_c32 pairs_pairs_list_6; TASSIGN<0x05300>(pairs_pairs_list_6);  // columns 320.. of pairs_pairs
            VecF32_1x1024_c32 pairs_pairs_list_7; TASSIGN<0x05400>(pairs_pairs_list_7);  // columns 384.. of pairs_pairs
            VecF32_1x1024_c32 pairs_pairs_list_8; TASSIGN<0x05500>(pairs_pairs_list_8);  // columns 448.. of pairs_pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x128_c32, VecF32_1x128, VecF32_1x1024_c32, VecF32_1x1024_c32, VecF32_1x1024_c32, VecF32_1x1024_c32, false>(pairs_kept_list_2, taken, pairs_merged, pairs_pairs_list_5, pairs_pairs_list_6, pairs_pairs_list_7, pairs_pairs_list_8);
            VecF32_1x128_c32 pairs_kept_list_3; TASSIGN<0x06100>(pairs_kept_list_3);  // columns 64.. of pairs_kept
            VecF32_1x1024_c32 pairs_pairs_list_9; TASSIGN<0x05600>(pairs_pairs_list_9);  // columns 512.. of pairs_pairs
            VecF32_1x1024_c32 pairs_pairs_list_10; TASSIGN<0x05700>(pairs_pairs_list_10);  // columns 576.. of pairs_pairs
            VecF32_1x1024_c32 pairs_pairs_list_11; TASSIGN<0x05800>(pairs_pairs_list_11);  // columns 640.. of pairs_pairs
            VecF32_1x1024_c32 pairs_pairs_list_12; TASSIGN<0x05900>(pairs_pairs_list_12);  // columns 704.. of pairs_pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x128_c32, VecF32_1x128, VecF32_1x1024_c32, VecF32_1x1024_c32, VecF32_1x1024_c32, VecF32_1x1024_c32, false>(pairs_kept_list_3, taken, pairs_merged, pairs_pairs_list_9, pairs_pairs_list_10, pairs_pairs_list_11, pairs_pairs_list_12);
            VecF32_1x128_c32 pairs_kept_list_4; TASSIGN<0x06180>(pairs_kept_list_4);  // columns 96.. of pairs_kept
            VecF32_1x1024_c32 pairs_pairs_list_13; TASSIGN<0x05a00>(pairs_pairs_list_13);  // columns 768.. of pairs_pairs
            VecF32_1x1024_c32 pairs_pairs_list_14; TASSIGN<0x05b00>(pairs_pairs_list_14);  // columns 832.. of pairs_pairs
            VecF32_1x1024_c32 pairs_pairs_list_15; TASSIGN<0x05c00>(pairs_pairs_list_15);  // columns 896.. of pairs_pairs
            VecF32_1x1024_c32 pairs_pairs_list_16; TASSIGN<0x05d00>(pairs_pairs_list_16);  // columns 960.. of pairs_pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x128_c32, VecF32_1x128, VecF32_1x1024_c32, VecF32_1x1024_c32, VecF32_1x1024_c32, VecF32_1x1024_c32, false>(pairs_kept_list_4, taken, pairs_merged, pairs_pairs_list_13, pairs_pairs_list_14, pairs_pairs_list_15, pairs_pairs_list_16);
            VecF32_1x32 pairs_line; TASSIGN(pairs_line, 0x04c00 + pairs_at * 0x00080);  // rows pairs_at.. of pairs
            VecF32_1x128_c32 pairs_kept_list_5; TASSIGN<0x06000>(pairs_kept_list_5);  // columns 0.. of pairs_kept
            VecF32_1x128_c32 pairs_kept_list_6; TASSIGN<0x06080>(pairs_kept_list_6);  // columns 32.. of pairs_kept
            VecF32_1x128_c32 pairs_kept_list_7; TASSIGN<0x06100>(pairs_kept_list_7);  // columns 64.. of pairs_kept
            VecF32_1x128_c32 pairs_kept_list_8; TASSIGN<0x06180>(pairs_kept_list_8);  // columns 96.. of pairs_kept
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x32, VecF32_1x128, VecF32_1x128_c32, VecF32_1x128_c32, VecF32_1x128_c32, VecF32_1x128_c32, false>(pairs_line, taken, pairs_merged, pairs_kept_list_5, pairs_kept_list_6, pairs_kept_list_7, pairs_kept_list_8);
        }
        set_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));
        VecF32_4x32 pairs(i1_valid); TASSIGN<0x04c00>(pairs);  // UB 0x04c00..0x04e00
        VecF32_4x16 values(i1_valid); TASSIGN(values, 0x04800 + i1_buffer * 0x00100);  // UB 0x04800..0x04a00, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + i1_buffer));  // free again
        TGATHER<VecF32_4x16, VecF32_4x32, MaskPattern::P0101>(values, pairs);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + i1_buffer));
        VecF32_4x16_c10 values_out(i1_valid); TASSIGN(values_out, 0x04800 + i1_buffer * 0x00100);  // columns 0.. of values
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + i1_buffer));
        TopGm top_out(top + int64_t(i1) * 10, {i1_valid});
        TSTORE(top_out, values_out);
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + i1_buffer));
        VecI32_4x32 pairs_int32(i1_valid); TASSIGN<0x04c00>(pairs_int32);  // same bytes as pairs
        VecI32_4x16 indices(i1_valid); TASSIGN(indices, 0x04a00 + i1_buffer * 0x00100);  // UB 0x04a00..0x04c00, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));  // free again
        TGATHER<VecI32_4x16, VecI32_4x32, MaskPattern::P1010>(indices, pairs_int32);
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
