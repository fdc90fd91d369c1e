// best_vec1: vector kernel of `lightning_indexer` for a2a3. Made by pyptogen; change the spec, not this file.
// stages best; tiles score_rows_columns 12288; memory UB 98304 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x12288 = Tile<TileType::Vec, float, 1, 12288, BLayout::RowMajor, 1, DYNAMIC>;
using AllScoresGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ float *score_rows,
    __gm__ float *all_scores,
    int64_t t,
    int64_t kv,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t score_rows_columns0_buffer = 0;  // which of 2 buffers this iteration of score_rows_columns0 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    for (int64_t score_rows_columns0 = block * 12288; score_rows_columns0 < kv * t; score_rows_columns0 += nblk * 12288, score_rows_columns0_buffer ^= 1) {
        const int32_t score_rows_columns0_valid = static_cast<int32_t>(kv * t - score_rows_columns0 < 12288 ? kv * t - score_rows_columns0 : 12288);
        // score, chosen: topk(all_scores, selected)
        VecF32_1x12288 all_scores_tile(score_rows_columns0_valid); TASSIGN(all_scores_tile, 0x00000 + score_rows_columns0_buffer * 0x0c000);  // UB 0x00000..0x18000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(score_rows_columns0_buffer));  // free again
        AllScoresGm all_scores_in(all_scores + int64_t(score_rows_columns0), {score_rows_columns0_valid});
        TLOAD(all_scores_tile, all_scores_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(score_rows_columns0_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(score_rows_columns0_buffer));
        AllScoresGm score_rows_out(score_rows + int64_t(score_rows_columns0), {score_rows_columns0_valid});
        TSTORE(score_rows_out, all_scores_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(score_rows_columns0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void best_vec1(
    __gm__ float *score_rows, __gm__ float *all_scores, int64_t t, int64_t kv, int32_t nblk)
{
    run_block(score_rows, all_scores, t, kv, nblk, static_cast<int32_t>(get_block_idx()));
}
