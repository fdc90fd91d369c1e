// best_vec1: vector kernel of `lightning_indexer` for cpu. Made by pyptogen; change the spec, not this file.
// stages best; tiles score_rows_columns 4096; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AllScoresGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void best_vec1(
    __gm__ float *score_rows,
    __gm__ float *all_scores,
    int64_t t,
    int64_t kv,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int64_t score_rows_columns0 = block * 4096; score_rows_columns0 < kv * t; score_rows_columns0 += nblk * 4096) {
        const int32_t score_rows_columns0_valid = static_cast<int32_t>(kv * t - score_rows_columns0 < 4096 ? kv * t - score_rows_columns0 : 4096);
        AllScoresGm all_scores_in(all_scores + int64_t(score_rows_columns0), {score_rows_columns0_valid});
        AllScoresGm score_rows_out(score_rows + int64_t(score_rows_columns0), {score_rows_columns0_valid});
        // score, chosen: topk(all_scores, selected)
        TCARRY(score_rows_out, all_scores_in);
    }
#endif
}
