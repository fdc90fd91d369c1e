// best_vec2: vector kernel of `lightning_indexer` for cpu. Made by pyptogen; change the spec, not this file.
// stages best; tiles i1 1; memory UB 140544 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x2048 = Tile<TileType::Vec, int32_t, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecI32_1x33088 = Tile<TileType::Vec, int32_t, 1, 33088, BLayout::RowMajor, 1, 33088>;
using VecF32_1x2048 = Tile<TileType::Vec, float, 1, 2048, BLayout::RowMajor, 1, 2048>;
using ScoreRowsGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using ScoreGm = GlobalTensor<float, Shape<1, 1, 1, 1, 2048>, Stride<1, 1, 1, 1, 1>>;
using ChosenGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 2048>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void best_vec2(
    __gm__ float *score,
    __gm__ int32_t *chosen,
    __gm__ float *score_rows,
    int64_t t,
    int64_t kv,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t) * 8192);  // score: around the cache if large
    for (int64_t i1 = block; i1 < t; i1 += nblk) {
        // score, chosen: topk(all_scores, selected)
        VecI32_1x2048 places; TASSIGN(places, 0x00000);  // UB 0x00000..0x02000
        VecI32_1x33088 candidates; TASSIGN(candidates, 0x02000);  // UB 0x02000..0x22500
        ScoreRowsGm score_rows_in(score_rows + int64_t(i1) * kv, {kv}, {int64_t(kv)});
        TTOPK(places, score_rows_in, candidates);
        VecF32_1x2048 values; TASSIGN(values, 0x02000);  // UB 0x02000..0x04000
        ScoreRowsGm score_rows_in_2(score_rows + int64_t(i1) * kv, {kv}, {int64_t(kv)});
        MGATHER(values, score_rows_in_2, places);
        ScoreGm score_out(score + int64_t(i1) * 2048);
        ChosenGm chosen_out(chosen + int64_t(i1) * 2048);
        TPASS(1, 2048, [&](auto at) {
            const auto values_v = at.load(values);
            at.store(score_out, values_v, far);
            const auto places_v = at.load(places);
            at.store(chosen_out, places_v);
        });
    }
#endif
}
