// topk: vector kernel of `topk` for a2a3. Made by pyptogen; change the spec, not this file.
// stages topk; tiles i1 1, n0 2048; memory UB 67072 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x2048 = Tile<TileType::Vec, int32_t, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_1x2048 = Tile<TileType::Vec, float, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecF32_1x4096 = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, 4096>;
using VecU32_1x2048 = Tile<TileType::Vec, uint32_t, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecF32_1x512_c128 = Tile<TileType::Vec, float, 1, 512, BLayout::RowMajor, 1, 128>;
using VecF32_1x512 = Tile<TileType::Vec, float, 1, 512, BLayout::RowMajor, 1, 512>;
using VecF32_1x4096_c128 = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, 128>;
using VecF32_1x256 = Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, 256>;
using VecF32_1x128_c64 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 64>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecI32_1x128 = Tile<TileType::Vec, int32_t, 1, 128, BLayout::RowMajor, 1, 128>;
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, 1, 2048>, Stride<1, 1, 1, 1, 1>>;
using ValuesGm = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;
using IndicesGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ float *values,
    __gm__ int32_t *indices,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t i1_buffer = 0;  // which of 2 buffers this iteration of i1 uses
    int32_t n0_buffer = 0;  // which of 2 buffers this iteration of n0 uses
    MrgSortExecutedNumList taken;  // how many pairs a merge took of each list
    // values, indices: topk(x, 64)
    VecI32_1x2048 places; TASSIGN<0x00000>(places);  // UB 0x00000..0x02000
    TCI<VecI32_1x2048, int32_t, 0>(places, 0);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t i1 = block; i1 < rows; i1 += nblk, i1_buffer ^= 1) {
        VecI32_1x2048 places_here; TASSIGN<0x06600>(places_here);  // UB 0x06600..0x08600
        TMOV(places_here, places);
        VecF32_1x128 pairs_kept; TASSIGN<0x06400>(pairs_kept);  // UB 0x06400..0x06600
        for (int32_t n0 = 0; n0 < 4096; n0 += 2048, n0_buffer ^= 1) {
            VecF32_1x2048 part; TASSIGN(part, 0x02000 + n0_buffer * 0x02000);  // UB 0x02000..0x06000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(n0_buffer));  // free again
            XGm x_in(x + int64_t(i1) * 4096 + int64_t(n0));
            TLOAD(part, x_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(n0_buffer));
            VecF32_1x4096 pairs_blocks; TASSIGN<0x08600>(pairs_blocks);  // UB 0x08600..0x0c600
            VecU32_1x2048 places_here_uint32; TASSIGN<0x06600>(places_here_uint32);  // same bytes as places_here
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(n0_buffer));
            TSORT32(pairs_blocks, part, places_here_uint32);
            set_flag(PIPE_V, PIPE_MTE2, event_t(n0_buffer));
            VecF32_1x4096 pairs_pairs; TASSIGN<0x0c600>(pairs_pairs);  // UB 0x0c600..0x10600
            pipe_barrier(PIPE_V);
            TMRGSORT(pairs_pairs, pairs_blocks, 64);
            VecF32_1x512_c128 pairs_kept_2_list; TASSIGN<0x08e00>(pairs_kept_2_list);  // columns 0.. of pairs_kept_2
            VecF32_1x512 pairs_merged; TASSIGN<0x08600>(pairs_merged);  // UB 0x08600..0x08e00
            VecF32_1x4096_c128 pairs_pairs_list; TASSIGN<0x0c600>(pairs_pairs_list);  // columns 0.. of pairs_pairs
            VecF32_1x4096_c128 pairs_pairs_list_2; TASSIGN<0x0ca00>(pairs_pairs_list_2);  // columns 256.. of pairs_pairs
            VecF32_1x4096_c128 pairs_pairs_list_3; TASSIGN<0x0ce00>(pairs_pairs_list_3);  // columns 512.. of pairs_pairs
            VecF32_1x4096_c128 pairs_pairs_list_4; TASSIGN<0x0d200>(pairs_pairs_list_4);  // columns 768.. of pairs_pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x512_c128, VecF32_1x512, VecF32_1x4096_c128, VecF32_1x4096_c128, VecF32_1x4096_c128, VecF32_1x4096_c128, false>(pairs_kept_2_list, taken, pairs_merged, pairs_pairs_list, pairs_pairs_list_2, pairs_pairs_list_3, pairs_pairs_list_4);
            VecF32_1x512_c128 pairs_kept_2_list_2; TASSIGN<0x09000>(pairs_kept_2_list_2);  // columns 128.. of pairs_kept_2
            VecF32_1x4096_c128 pairs_pairs_list_5; TASSIGN<0x0d600>(pairs_pairs_list_5);  // columns 1024.. of pairs_pairs
            VecF32_1x4096_c128 pairs_pairs_list_6; TASSIGN<0x0da00>(pairs_pairs_list_6);  // columns 1280.. of pairs_pairs
            VecF32_1x4096_c128 pairs_pairs_list_7; TASSIGN<0x0de00>(pairs_pairs_list_7);  // columns 1536.. of pairs_pairs
            VecF32_1x4096_c128 pairs_pairs_list_8; TASSIGN<0x0e200>(pairs_pairs_list_8);  // columns 1792.. of pairs_pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x512_c128, VecF32_1x512, VecF32_1x4096_c128, VecF32_1x4096_c128, VecF32_1x4096_c128, VecF32_1x4096_c128, false>(pairs_kept_2_list_2, taken, pairs_merged, pairs_pairs_list_5, pairs_pairs_list_6, pairs_pairs_list_7, pairs_pairs_list_8);
            VecF32_1x512_c128 pairs_kept_2_list_3; TASSIGN<0x09200>(pairs_kept_2_list_3);  // columns 256.. of pairs_kept_2
            VecF32_1x4096_c128 pairs_pairs_list_9; TASSIGN<0x0e600>(pairs_pairs_list_9);  // columns 2048.. of pairs_pairs
            VecF32_1x4096_c128 pairs_pairs_list_10; TASSIGN<0x0ea00>(pairs_pairs_list_10);  // columns 2304.. of pairs_pairs
            VecF32_1x4096_c128 pairs_pairs_list_11; TASSIGN<0x0ee00>(pairs_pairs_list_11);  // columns 2560.. of pairs_pairs
            VecF32_1x4096_c128 pairs_pairs_list_12; TASSIGN<0x0f200>(pairs_pairs_list_12);  // columns 2816.. of pairs_pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x512_c128, VecF32_1x512, VecF32_1x4096_c128, VecF32_1x4096_c128, VecF32_1x4096_c128, VecF32_1x4096_c128, false>(pairs_kept_2_list_3, taken, pairs_merged, pairs_pairs_list_9, pairs_pairs_list_10, pairs_pairs_list_11, pairs_pairs_list_12);
            VecF32_1x512_c128 pairs_kept_2_list_4; TASSIGN<0x09400>(pairs_kept_2_list_4);  // columns 384.. of pairs_kept_2
            VecF32_1x4096_c128 pairs_pairs_list_13; TASSIGN<0x0f600>(pairs_pairs_list_13);  // columns 3072.. of pairs_pairs
            VecF32_1x4096_c128 pairs_pairs_list_14; TASSIGN<0x0fa00>(pairs_pairs_list_14);  // columns 3328.. of pairs_pairs
            VecF32_1x4096_c128 pairs_pairs_list_15; TASSIGN<0x0fe00>(pairs_pairs_list_15);  // columns 3584.. of pairs_pairs
            VecF32_1x4096_c128 pairs_pairs_list_16; TASSIGN<0x10200>(pairs_pairs_list_16);  // columns 3840.. of pairs_pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x512_c128, VecF32_1x512, VecF32_1x4096_c128, VecF32_1x4096_c128, VecF32_1x4096_c128, VecF32_1x4096_c128, false>(pairs_kept_2_list_4, taken, pairs_merged, pairs_pairs_list_13, pairs_pairs_list_14, pairs_pairs_list_15, pairs_pairs_list_16);
            VecF32_1x128 pairs; TASSIGN<0x09600>(pairs);  // UB 0x09600..0x09800
            VecF32_1x512_c128 pairs_kept_2_list_5; TASSIGN<0x08e00>(pairs_kept_2_list_5);  // columns 0.. of pairs_kept_2
            VecF32_1x512_c128 pairs_kept_2_list_6; TASSIGN<0x09000>(pairs_kept_2_list_6);  // columns 128.. of pairs_kept_2
            VecF32_1x512_c128 pairs_kept_2_list_7; TASSIGN<0x09200>(pairs_kept_2_list_7);  // columns 256.. of pairs_kept_2
            VecF32_1x512_c128 pairs_kept_2_list_8; TASSIGN<0x09400>(pairs_kept_2_list_8);  // columns 384.. of pairs_kept_2
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x128, VecF32_1x512, VecF32_1x512_c128, VecF32_1x512_c128, VecF32_1x512_c128, VecF32_1x512_c128, false>(pairs, taken, pairs_merged, pairs_kept_2_list_5, pairs_kept_2_list_6, pairs_kept_2_list_7, pairs_kept_2_list_8);
            VecF32_1x256 merged; TASSIGN<0x08600>(merged);  // UB 0x08600..0x08a00
            VecF32_1x128_c64 half; TASSIGN<0x09600>(half);  // columns 0.. of pairs
            VecF32_1x128_c64 half_2; TASSIGN<0x09700>(half_2);  // columns 64.. of pairs
            pipe_barrier(PIPE_V);
            if (n0 == 0) {
                TMRGSORT<VecF32_1x128, VecF32_1x256, VecF32_1x128_c64, VecF32_1x128_c64, false>(pairs_kept, taken, merged, half, half_2);
            } else {
                TMRGSORT<VecF32_1x128, VecF32_1x256, VecF32_1x128, VecF32_1x128, false>(pairs_kept, taken, merged, pairs_kept, pairs);
            }
            TADDS(places_here, places_here, 2048);
        }
        VecF32_1x64 values_2; TASSIGN(values_2, 0x06000 + i1_buffer * 0x00100);  // UB 0x06000..0x06200, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + i1_buffer));  // free again
        TGATHER<VecF32_1x64, VecF32_1x128, MaskPattern::P0101>(values_2, pairs_kept);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + i1_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + i1_buffer));
        ValuesGm values_out(values + int64_t(i1) * 64);
        TSTORE(values_out, values_2);
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + i1_buffer));
        VecI32_1x128 pairs_kept_int32; TASSIGN<0x06400>(pairs_kept_int32);  // same bytes as pairs_kept
        VecI32_1x64 indices_2; TASSIGN(indices_2, 0x06200 + i1_buffer * 0x00100);  // UB 0x06200..0x06400, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));  // free again
        TGATHER<VecI32_1x64, VecI32_1x128, MaskPattern::P1010>(indices_2, pairs_kept_int32);
        set_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        IndicesGm indices_out(indices + int64_t(i1) * 64);
        TSTORE(indices_out, indices_2);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void topk(
    __gm__ float *values, __gm__ int32_t *indices, __gm__ float *x, int32_t rows, int32_t nblk)
{
    run_block(values, indices, x, rows, nblk, static_cast<int32_t>(get_block_idx()));
}
