// topk_long_vec3: vector kernel of `topk_long` for a2a3. Made by pyptogen; change the spec, not this file.
// stages topk_long; tiles left 12288, list 6144, lists 12288, rows 1; memory UB 131072 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x4096 = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, 4096>;
using VecF32_1x12288 = Tile<TileType::Vec, float, 1, 12288, BLayout::RowMajor, 1, 12288>;
using VecF32_1x8192 = Tile<TileType::Vec, float, 1, 8192, BLayout::RowMajor, 1, 8192>;
using VecF32_1x8192_c4096 = Tile<TileType::Vec, float, 1, 8192, BLayout::RowMajor, 1, 4096>;
using VecF32_1x2048 = Tile<TileType::Vec, float, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecI32_1x4096 = Tile<TileType::Vec, int32_t, 1, 4096, BLayout::RowMajor, 1, 4096>;
using VecI32_1x2048 = Tile<TileType::Vec, int32_t, 1, 2048, BLayout::RowMajor, 1, 2048>;
using ScoresPairsGm = GlobalTensor<float, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 1, 1>>;
using ScoresPairsGm2 = GlobalTensor<float, Shape<1, 1, 1, 1, 8192>, Stride<1, 1, 1, 1, 1>>;
using ValuesGm = GlobalTensor<float, Shape<1, 1, 1, 1, 2048>, Stride<1, 1, 1, 2048, 1>>;
using IndicesGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 2048>, Stride<1, 1, 1, 2048, 1>>;

AICORE inline void run_block(
    __gm__ float *values,
    __gm__ int32_t *indices,
    __gm__ float *scores_pairs,
    int32_t rows,
    int32_t keys,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    MrgSortExecutedNumList taken;  // how many pairs a merge took of each list
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free at first
    for (int32_t rows0 = block; rows0 < rows; rows0 += nblk) {
        // values, indices: topk(scores, 2048)
        VecF32_1x4096 values_merged_order; TASSIGN<0x00000>(values_merged_order);  // UB 0x00000..0x04000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free again
        ScoresPairsGm scores_pairs_in(scores_pairs + int64_t(rows0) * 90112);
        TLOAD(values_merged_order, scores_pairs_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
        VecF32_1x12288 values_merged_order_tmp; TASSIGN<0x14000>(values_merged_order_tmp);  // UB 0x14000..0x20000
        for (int32_t lists0 = 6144; lists0 < keys - 6144; lists0 += 12288) {
            VecF32_1x8192 values_merged_order_lists; TASSIGN<0x04000>(values_merged_order_lists);  // UB 0x04000..0x0c000
            wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free again
            ScoresPairsGm2 scores_pairs_in(scores_pairs + int64_t(rows0) * 90112 + int64_t(lists0) * 2 / 3);
            TLOAD(values_merged_order_lists, scores_pairs_in);
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
            VecF32_1x8192_c4096 values_merged_order_lists_first; TASSIGN<0x04000>(values_merged_order_lists_first);  // columns 0.. of values_merged_order_lists
            VecF32_1x8192_c4096 values_merged_order_lists_first_2; TASSIGN<0x08000>(values_merged_order_lists_first_2);  // columns 4096.. of values_merged_order_lists
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
            TMRGSORT<VecF32_1x4096, VecF32_1x12288, VecF32_1x4096, VecF32_1x8192_c4096, VecF32_1x8192_c4096, false>(values_merged_order, taken, values_merged_order_tmp, values_merged_order, values_merged_order_lists_first, values_merged_order_lists_first_2);
            set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
        }
        const int32_t left0_begin = keys - 1 > 0 ? 6144 + (keys - 1) / 12288 * 12288 : 6144;  // rows before this: their causal bound is ahead of this block
        for (int32_t left0 = left0_begin; left0 < keys; left0 += 12288) {
            const int32_t left0_valid = keys - left0 < 12288 ? keys - left0 : 12288;
            for (int32_t list0 = 0; list0 < left0_valid; list0 += 6144) {
                VecF32_1x4096 values_merged_order_lists_2; TASSIGN<0x0c000>(values_merged_order_lists_2);  // UB 0x0c000..0x10000
                wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free again
                ScoresPairsGm scores_pairs_in(scores_pairs + int64_t(rows0) * 90112 + int64_t(left0) * 2 / 3 + int64_t(list0) * 2 / 3);
                TLOAD(values_merged_order_lists_2, scores_pairs_in);
                set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                TMRGSORT<VecF32_1x4096, VecF32_1x12288, VecF32_1x4096, VecF32_1x4096, false>(values_merged_order, taken, values_merged_order_tmp, values_merged_order, values_merged_order_lists_2);
                set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
            }
        }
        VecF32_1x2048 values_merged; TASSIGN<0x10000>(values_merged);  // UB 0x10000..0x12000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free again
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
        TGATHER<VecF32_1x2048, VecF32_1x4096, MaskPattern::P0101>(values_merged, values_merged_order);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
        ValuesGm values_out(values + int64_t(rows0) * 2048);
        TSTORE(values_out, values_merged);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
        VecI32_1x4096 values_merged_order_int32; TASSIGN<0x00000>(values_merged_order_int32);  // same bytes as values_merged_order
        VecI32_1x2048 indices_merged; TASSIGN<0x12000>(indices_merged);  // UB 0x12000..0x14000
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TGATHER<VecI32_1x2048, VecI32_1x4096, MaskPattern::P1010>(indices_merged, values_merged_order_int32);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        IndicesGm indices_out(indices + int64_t(rows0) * 2048);
        TSTORE(indices_out, indices_merged);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void topk_long_vec3(
    __gm__ float *values, __gm__ int32_t *indices, __gm__ float *scores_pairs, int32_t rows, int32_t keys,
    int32_t nblk)
{
    run_block(values, indices, scores_pairs, rows, keys, nblk, static_cast<int32_t>(get_block_idx()));
}
