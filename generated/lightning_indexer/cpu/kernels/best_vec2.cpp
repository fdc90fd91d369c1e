// best_vec2: vector kernel of `lightning_indexer` for cpu. Made by pyptogen; change the spec, not this file.
// stages best; tiles t 1; memory UB 140544 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x2048 = Tile<TileType::Vec, int32_t, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecI32_1x33088 = Tile<TileType::Vec, int32_t, 1, 33088, BLayout::RowMajor, 1, 33088>;
using VecF32_1x2048 = Tile<TileType::Vec, float, 1, 2048, BLayout::RowMajor, 1, 2048>;
using ScoreRowsGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using ScoreGm = GlobalTensor<float, Shape<1, 1, 1, 1, 2048>, Stride<1, 1, 1, 2048, 1>>;
using ChosenGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 2048>, Stride<1, 1, 1, 2048, 1>>;
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
    for (int64_t t0 = block; t0 < t; t0 += nblk) {
        // score, chosen: topk(all_scores, selected)
        VecI32_1x2048 positions; TASSIGN(positions, 0x00000);  // UB 0x00000..0x02000
        VecI32_1x33088 candidates; TASSIGN(candidates, 0x02000);  // UB 0x02000..0x22500
        ScoreRowsGm score_rows_in(score_rows + int64_t(kv) * t0, {kv}, {int64_t(kv)});
        TTOPK(positions, score_rows_in, candidates);
        VecF32_1x2048 score_tile; TASSIGN(score_tile, 0x02000);  // UB 0x02000..0x04000
        ScoreRowsGm score_rows_in_2(score_rows + int64_t(kv) * t0, {kv}, {int64_t(kv)});
        MGATHER(score_tile, score_rows_in_2, positions);
        ScoreGm score_out(score + int64_t(t0) * 2048);
        ChosenGm chosen_out(chosen + int64_t(t0) * 2048);
        TPASS(1, 2048, [&](auto at) {
            const auto score_tile_v = at.load(score_tile);
            at.store(score_out, score_tile_v, far);
            const auto positions_v = at.load(positions);
            at.store(chosen_out, positions_v);
        });
    }
#endif
}
