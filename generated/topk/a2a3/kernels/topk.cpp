// topk: vector kernel of `topk` for a2a3. Made by pyptogen; change the spec, not this file.
// stages topk; tiles cols 2048, rows 1; memory UB 67072 B
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
using XGm = GlobalTensor<float, Shape<1, 1, 1, 1, 2048>, Stride<1, 1, 1, 4096, 1>>;
using ValuesGm = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 64, 1>>;
using IndicesGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 64, 1>>;

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
    int32_t rows0_buffer = 0;  // which of 2 buffers this iteration of rows0 uses
    int32_t cols0_buffer = 0;  // which of 2 buffers this iteration of cols0 uses
    MrgSortExecutedNumList taken;  // how many pairs a merge took of each list
    // values, indices: topk(x, 64)
    VecI32_1x2048 positions; TASSIGN<0x00000>(positions);  // UB 0x00000..0x02000
    TCI<VecI32_1x2048, int32_t, 0>(positions, 0);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t rows0 = block; rows0 < rows; rows0 += nblk, rows0_buffer ^= 1) {
        VecI32_1x2048 positions_here; TASSIGN<0x06600>(positions_here);  // UB 0x06600..0x08600
        TMOV(positions_here, positions);
        VecF32_1x128 values_order; TASSIGN<0x06400>(values_order);  // UB 0x06400..0x06600
        for (int32_t cols0 = 0; cols0 < 4096; cols0 += 2048, cols0_buffer ^= 1) {
            VecF32_1x2048 x_tile; TASSIGN(x_tile, 0x02000 + cols0_buffer * 0x02000);  // UB 0x02000..0x06000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(cols0_buffer));  // free again
            XGm x_in(x + int64_t(rows0) * 4096 + int64_t(cols0));
            TLOAD(x_tile, x_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(cols0_buffer));
            VecF32_1x4096 values_order_part_blocks; TASSIGN<0x08600>(values_order_part_blocks);  // UB 0x08600..0x0c600
            VecU32_1x2048 positions_here_uint32; TASSIGN<0x06600>(positions_here_uint32);  // same bytes as positions_here
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(cols0_buffer));
            TSORT32(values_order_part_blocks, x_tile, positions_here_uint32);
            set_flag(PIPE_V, PIPE_MTE2, event_t(cols0_buffer));
            VecF32_1x4096 values_order_part_pairs; TASSIGN<0x0c600>(values_order_part_pairs);  // UB 0x0c600..0x10600
            pipe_barrier(PIPE_V);
            TMRGSORT(values_order_part_pairs, values_order_part_blocks, 64);
            VecF32_1x512_c128 values_order_part_kept_list; TASSIGN<0x08e00>(values_order_part_kept_list);  // columns 0.. of values_order_part_kept
            VecF32_1x512 values_order_part_merged; TASSIGN<0x08600>(values_order_part_merged);  // UB 0x08600..0x08e00
            VecF32_1x4096_c128 values_order_part_pairs_list; TASSIGN<0x0c600>(values_order_part_pairs_list);  // columns 0.. of values_order_part_pairs
            VecF32_1x4096_c128 values_order_part_pairs_list_2; TASSIGN<0x0ca00>(values_order_part_pairs_list_2);  // columns 256.. of values_order_part_pairs
            VecF32_1x4096_c128 values_order_part_pairs_list_3; TASSIGN<0x0ce00>(values_order_part_pairs_list_3);  // columns 512.. of values_order_part_pairs
            VecF32_1x4096_c128 values_order_part_pairs_list_4; TASSIGN<0x0d200>(values_order_part_pairs_list_4);  // columns 768.. of values_order_part_pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x512_c128, VecF32_1x512, VecF32_1x4096_c128, VecF32_1x4096_c128, VecF32_1x4096_c128, VecF32_1x4096_c128, false>(values_order_part_kept_list, taken, values_order_part_merged, values_order_part_pairs_list, values_order_part_pairs_list_2, values_order_part_pairs_list_3, values_order_part_pairs_list_4);
            VecF32_1x512_c128 values_order_part_kept_list_2; TASSIGN<0x09000>(values_order_part_kept_list_2);  // columns 128.. of values_order_part_kept
            VecF32_1x4096_c128 values_order_part_pairs_list_5; TASSIGN<0x0d600>(values_order_part_pairs_list_5);  // columns 1024.. of values_order_part_pairs
            VecF32_1x4096_c128 values_order_part_pairs_list_6; TASSIGN<0x0da00>(values_order_part_pairs_list_6);  // columns 1280.. of values_order_part_pairs
            VecF32_1x4096_c128 values_order_part_pairs_list_7; TASSIGN<0x0de00>(values_order_part_pairs_list_7);  // columns 1536.. of values_order_part_pairs
            VecF32_1x4096_c128 values_order_part_pairs_list_8; TASSIGN<0x0e200>(values_order_part_pairs_list_8);  // columns 1792.. of values_order_part_pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x512_c128, VecF32_1x512, VecF32_1x4096_c128, VecF32_1x4096_c128, VecF32_1x4096_c128, VecF32_1x4096_c128, false>(values_order_part_kept_list_2, taken, values_order_part_merged, values_order_part_pairs_list_5, values_order_part_pairs_list_6, values_order_part_pairs_list_7, values_order_part_pairs_list_8);
            VecF32_1x512_c128 values_order_part_kept_list_3; TASSIGN<0x09200>(values_order_part_kept_list_3);  // columns 256.. of values_order_part_kept
            VecF32_1x4096_c128 values_order_part_pairs_list_9; TASSIGN<0x0e600>(values_order_part_pairs_list_9);  // columns 2048.. of values_order_part_pairs
            VecF32_1x4096_c128 values_order_part_pairs_list_10; TASSIGN<0x0ea00>(values_order_part_pairs_list_10);  // columns 2304.. of values_order_part_pairs
            VecF32_1x4096_c128 values_order_part_pairs_list_11; TASSIGN<0x0ee00>(values_order_part_pairs_list_11);  // columns 2560.. of values_order_part_pairs
            VecF32_1x4096_c128 values_order_part_pairs_list_12; TASSIGN<0x0f200>(values_order_part_pairs_list_12);  // columns 2816.. of values_order_part_pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x512_c128, VecF32_1x512, VecF32_1x4096_c128, VecF32_1x4096_c128, VecF32_1x4096_c128, VecF32_1x4096_c128, false>(values_order_part_kept_list_3, taken, values_order_part_merged, values_order_part_pairs_list_9, values_order_part_pairs_list_10, values_order_part_pairs_list_11, values_order_part_pairs_list_12);
            VecF32_1x512_c128 values_order_part_kept_list_4; TASSIGN<0x09400>(values_order_part_kept_list_4);  // columns 384.. of values_order_part_kept
            VecF32_1x4096_c128 values_order_part_pairs_list_13; TASSIGN<0x0f600>(values_order_part_pairs_list_13);  // columns 3072.. of values_order_part_pairs
            VecF32_1x4096_c128 values_order_part_pairs_list_14; TASSIGN<0x0fa00>(values_order_part_pairs_list_14);  // columns 3328.. of values_order_part_pairs
            VecF32_1x4096_c128 values_order_part_pairs_list_15; TASSIGN<0x0fe00>(values_order_part_pairs_list_15);  // columns 3584.. of values_order_part_pairs
            VecF32_1x4096_c128 values_order_part_pairs_list_16; TASSIGN<0x10200>(values_order_part_pairs_list_16);  // columns 3840.. of values_order_part_pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x512_c128, VecF32_1x512, VecF32_1x4096_c128, VecF32_1x4096_c128, VecF32_1x4096_c128, VecF32_1x4096_c128, false>(values_order_part_kept_list_4, taken, values_order_part_merged, values_order_part_pairs_list_13, values_order_part_pairs_list_14, values_order_part_pairs_list_15, values_order_part_pairs_list_16);
            VecF32_1x128 values_order_part; TASSIGN<0x09600>(values_order_part);  // UB 0x09600..0x09800
            VecF32_1x512_c128 values_order_part_kept_list_5; TASSIGN<0x08e00>(values_order_part_kept_list_5);  // columns 0.. of values_order_part_kept
            VecF32_1x512_c128 values_order_part_kept_list_6; TASSIGN<0x09000>(values_order_part_kept_list_6);  // columns 128.. of values_order_part_kept
            VecF32_1x512_c128 values_order_part_kept_list_7; TASSIGN<0x09200>(values_order_part_kept_list_7);  // columns 256.. of values_order_part_kept
            VecF32_1x512_c128 values_order_part_kept_list_8; TASSIGN<0x09400>(values_order_part_kept_list_8);  // columns 384.. of values_order_part_kept
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x128, VecF32_1x512, VecF32_1x512_c128, VecF32_1x512_c128, VecF32_1x512_c128, VecF32_1x512_c128, false>(values_order_part, taken, values_order_part_merged, values_order_part_kept_list_5, values_order_part_kept_list_6, values_order_part_kept_list_7, values_order_part_kept_list_8);
            VecF32_1x256 values_order_tmp; TASSIGN<0x08600>(values_order_tmp);  // UB 0x08600..0x08a00
            VecF32_1x128_c64 values_order_part_first; TASSIGN<0x09600>(values_order_part_first);  // columns 0.. of values_order_part
            VecF32_1x128_c64 values_order_part_first_2; TASSIGN<0x09700>(values_order_part_first_2);  // columns 64.. of values_order_part
            pipe_barrier(PIPE_V);
            if (cols0 == 0) {
                TMRGSORT<VecF32_1x128, VecF32_1x256, VecF32_1x128_c64, VecF32_1x128_c64, false>(values_order, taken, values_order_tmp, values_order_part_first, values_order_part_first_2);
            } else {
                TMRGSORT<VecF32_1x128, VecF32_1x256, VecF32_1x128, VecF32_1x128, false>(values_order, taken, values_order_tmp, values_order, values_order_part);
            }
            TADDS(positions_here, positions_here, 2048);
        }
        VecF32_1x64 values_tile; TASSIGN(values_tile, 0x06000 + rows0_buffer * 0x00100);  // UB 0x06000..0x06200, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + rows0_buffer));  // free again
        TGATHER<VecF32_1x64, VecF32_1x128, MaskPattern::P0101>(values_tile, values_order);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + rows0_buffer));
        ValuesGm values_out(values + int64_t(rows0) * 64);
        TSTORE(values_out, values_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + rows0_buffer));
        VecI32_1x128 values_order_int32; TASSIGN<0x06400>(values_order_int32);  // same bytes as values_order
        VecI32_1x64 indices_tile; TASSIGN(indices_tile, 0x06200 + rows0_buffer * 0x00100);  // UB 0x06200..0x06400, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));  // free again
        TGATHER<VecI32_1x64, VecI32_1x128, MaskPattern::P1010>(indices_tile, values_order_int32);
        set_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        IndicesGm indices_out(indices + int64_t(rows0) * 64);
        TSTORE(indices_out, indices_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));
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
