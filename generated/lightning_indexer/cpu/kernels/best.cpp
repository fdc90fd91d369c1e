// best: vector kernel of `lightning_indexer` for cpu. Made by pyptogen; change the spec, not this file.
// stages best; tiles i1 1; memory UB 5888 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecI32_1x1344 = Tile<TileType::Vec, int32_t, 1, 1344, BLayout::RowMajor, 1, 1344>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using AllScores1Gm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using ScoreGm = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;
using IndexGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void best(
    __gm__ float *score,
    __gm__ int32_t *index,
    __gm__ float *all_scores_1,
    int32_t kv,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t) * 512);  // score, index: around the cache if large
    for (int32_t i1 = block; i1 < t; i1 += nblk) {
        // score, index: topk(all_scores, 64)  [lightning_indexer.yaml:26]
        VecI32_1x64 places; TASSIGN(places, 0x01500);  // UB 0x01500..0x01600
        VecI32_1x1344 candidates; TASSIGN(candidates, 0x00000);  // UB 0x00000..0x01500
        AllScores1Gm all_scores_1_in(all_scores_1 + int64_t(i1) * kv, {kv}, {int64_t(kv)});
        TTOPK(places, all_scores_1_in, candidates);
        VecF32_1x64 values; TASSIGN(values, 0x01600);  // UB 0x01600..0x01700
        AllScores1Gm all_scores_1_in_2(all_scores_1 + int64_t(i1) * kv, {kv}, {int64_t(kv)});
        MGATHER(values, all_scores_1_in_2, places);
        ScoreGm score_out(score + int64_t(i1) * 64);
        IndexGm index_out(index + int64_t(i1) * 64);
        TPASS(1, 64, [&](auto at) {
            const auto values_v = at.load(values);
            at.store(score_out, values_v, far);
            const auto places_v = at.load(places);
            at.store(index_out, places_v, far);
        });
    }
#endif
}
