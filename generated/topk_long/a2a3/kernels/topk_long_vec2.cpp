// topk_long_vec2: vector kernel of `topk_long` for a2a3. Made by pyptogen; change the spec, not this file.
// stages topk_long; tiles keys 2048, rows 1; memory UB 147456 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x2048 = Tile<TileType::Vec, int32_t, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecF32_1x4096 = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, 4096>;
using VecF32_1x2048 = Tile<TileType::Vec, float, 1, 2048, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x2048_min = Tile<TileType::Vec, float, 1, 2048, BLayout::RowMajor, 1, 2048, SLayout::NoneBox, 512, PadValue::Min>;
using VecF32_1x2048m = Tile<TileType::Vec, float, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecU32_1x2048 = Tile<TileType::Vec, uint32_t, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecF32_1x8192 = Tile<TileType::Vec, float, 1, 8192, BLayout::RowMajor, 1, 8192>;
using VecF32_1x4096_c2048 = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, 2048>;
using VecI32_1x4096 = Tile<TileType::Vec, int32_t, 1, 4096, BLayout::RowMajor, 1, 4096>;
using ScoresGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using ValuesGm = GlobalTensor<float, Shape<1, 1, 1, 1, 2048>, Stride<1, 1, 1, 2048, 1>>;
using IndicesGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 2048>, Stride<1, 1, 1, 2048, 1>>;

AICORE inline void run_block(
    __gm__ float *values,
    __gm__ int32_t *indices,
    __gm__ float *scores,
    int32_t rows,
    int32_t keys,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t rows0_buffer = 0;  // which of 2 buffers this iteration of rows0 uses
    int32_t keys0_buffer = 0;  // which of 2 buffers this iteration of keys0 uses
    MrgSortExecutedNumList taken;  // how many pairs a merge took of each list
    // values, indices: topk(scores, 2048)
    VecI32_1x2048 positions; TASSIGN<0x00000>(positions);  // UB 0x00000..0x02000
    TCI<VecI32_1x2048, int32_t, 0>(positions, 0);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t rows0 = block; rows0 < rows; rows0 += nblk, rows0_buffer ^= 1) {
        VecI32_1x2048 positions_here; TASSIGN<0x12000>(positions_here);  // UB 0x12000..0x14000
        TMOV(positions_here, positions);
        VecF32_1x4096 values_whole_order; TASSIGN<0x0e000>(values_whole_order);  // UB 0x0e000..0x12000
        for (int32_t keys0 = 0; keys0 < keys; keys0 += 2048, keys0_buffer ^= 1) {
            const int32_t keys0_valid = keys - keys0 < 2048 ? keys - keys0 : 2048;
            VecF32_1x2048 scores_tile(keys0_valid); TASSIGN(scores_tile, 0x0a000 + keys0_buffer * 0x02000);  // columns 0.. of scores_tile_whole
            wait_flag(PIPE_V, PIPE_MTE2, event_t(keys0_buffer));  // free again
            ScoresGm scores_in(scores + int64_t(keys) * rows0 + int64_t(keys0), {keys0_valid}, {int64_t(keys)});
            TLOAD(scores_tile, scores_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(keys0_buffer));
            VecF32_1x2048_min scores_tile_whole_padded; TASSIGN(scores_tile_whole_padded, 0x0a000 + keys0_buffer * 0x02000);  // same bytes as scores_tile_whole
            wait_flag(PIPE_MTE2, PIPE_V, event_t(keys0_buffer));
            TFILLPAD_INPLACE(scores_tile_whole_padded, scores_tile);
            VecF32_1x4096 values_whole_order_part_blocks; TASSIGN<0x14000>(values_whole_order_part_blocks);  // UB 0x14000..0x18000
            VecF32_1x2048m scores_tile_whole; TASSIGN(scores_tile_whole, 0x0a000 + keys0_buffer * 0x02000);  // UB 0x0a000..0x0e000, 2 copies
            VecU32_1x2048 positions_here_uint32; TASSIGN<0x12000>(positions_here_uint32);  // same bytes as positions_here
            pipe_barrier(PIPE_V);
            TSORT32(values_whole_order_part_blocks, scores_tile_whole, positions_here_uint32);
            set_flag(PIPE_V, PIPE_MTE2, event_t(keys0_buffer));
            VecF32_1x4096 values_whole_order_part; TASSIGN<0x18000>(values_whole_order_part);  // UB 0x18000..0x1c000
            pipe_barrier(PIPE_V);
            TMRGSORT(values_whole_order_part, values_whole_order_part_blocks, 64);
            pipe_barrier(PIPE_V);
            TMRGSORT(values_whole_order_part_blocks, values_whole_order_part, 256);
            pipe_barrier(PIPE_V);
            TMRGSORT(values_whole_order_part, values_whole_order_part_blocks, 1024);
            VecF32_1x8192 values_whole_order_tmp; TASSIGN<0x1c000>(values_whole_order_tmp);  // UB 0x1c000..0x24000
            VecF32_1x4096_c2048 values_whole_order_part_first; TASSIGN<0x18000>(values_whole_order_part_first);  // columns 0.. of values_whole_order_part
            VecF32_1x4096_c2048 values_whole_order_part_first_2; TASSIGN<0x1a000>(values_whole_order_part_first_2);  // columns 2048.. of values_whole_order_part
            pipe_barrier(PIPE_V);
            if (keys0 == 0) {
                TMRGSORT<VecF32_1x4096, VecF32_1x8192, VecF32_1x4096_c2048, VecF32_1x4096_c2048, false>(values_whole_order, taken, values_whole_order_tmp, values_whole_order_part_first, values_whole_order_part_first_2);
            } else {
                TMRGSORT<VecF32_1x4096, VecF32_1x8192, VecF32_1x4096, VecF32_1x4096, false>(values_whole_order, taken, values_whole_order_tmp, values_whole_order, values_whole_order_part);
            }
            TADDS(positions_here, positions_here, 2048);
        }
        VecF32_1x2048m values_whole; TASSIGN(values_whole, 0x02000 + rows0_buffer * 0x02000);  // UB 0x02000..0x06000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + rows0_buffer));  // free again
        TGATHER<VecF32_1x2048m, VecF32_1x4096, MaskPattern::P0101>(values_whole, values_whole_order);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + rows0_buffer));
        ValuesGm values_out(values + int64_t(rows0) * 2048);
        TSTORE(values_out, values_whole);
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + rows0_buffer));
        VecI32_1x4096 values_whole_order_int32; TASSIGN<0x0e000>(values_whole_order_int32);  // same bytes as values_whole_order
        VecI32_1x2048 indices_whole; TASSIGN(indices_whole, 0x06000 + rows0_buffer * 0x02000);  // UB 0x06000..0x0a000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));  // free again
        TGATHER<VecI32_1x2048, VecI32_1x4096, MaskPattern::P1010>(indices_whole, values_whole_order_int32);
        set_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        IndicesGm indices_out(indices + int64_t(rows0) * 2048);
        TSTORE(indices_out, indices_whole);
        set_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void topk_long_vec2(
    __gm__ float *values, __gm__ int32_t *indices, __gm__ float *scores, int32_t rows, int32_t keys, int32_t nblk)
{
    run_block(values, indices, scores, rows, keys, nblk, static_cast<int32_t>(get_block_idx()));
}
