// best_vec1: vector kernel of `lightning_indexer` for a2a3. Made by pyptogen; change the spec, not this file.
// stages best; tiles i1 6144; memory UB 98304 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x6144 = Tile<TileType::Vec, float, 1, 6144, BLayout::RowMajor, 1, DYNAMIC>;
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
    int32_t i1_buffer = 0;  // which of 4 buffers this iteration of i1 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    for (int64_t i1 = block * 6144; i1 < kv * t; i1 += nblk * 6144, i1_buffer = (i1_buffer + 1) % 4) {
        const int32_t i1_valid = static_cast<int32_t>(kv * t - i1 < 6144 ? kv * t - i1 : 6144);
        // score, chosen: topk(all_scores, selected)
        VecF32_1x6144 part(i1_valid); TASSIGN(part, 0x00000 + i1_buffer * 0x06000);  // UB 0x00000..0x18000, 4 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(i1_buffer));  // free again
        AllScoresGm all_scores_in(all_scores + int64_t(i1), {i1_valid});
        TLOAD(part, all_scores_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(i1_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(i1_buffer));
        AllScoresGm score_rows_out(score_rows + int64_t(i1), {i1_valid});
        TSTORE(score_rows_out, part);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(i1_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void best_vec1(
    __gm__ float *score_rows, __gm__ float *all_scores, int64_t t, int64_t kv, int32_t nblk)
{
    run_block(score_rows, all_scores, t, kv, nblk, static_cast<int32_t>(get_block_idx()));
}
