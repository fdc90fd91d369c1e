// topk_long: vector kernel of `topk_long` for cpu. Made by pyptogen; change the spec, not this file.
// stages topk_long; tiles rows 1; memory UB 140544 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x2048 = Tile<TileType::Vec, int32_t, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecI32_1x33088 = Tile<TileType::Vec, int32_t, 1, 33088, BLayout::RowMajor, 1, 33088>;
using VecF32_1x2048 = Tile<TileType::Vec, float, 1, 2048, BLayout::RowMajor, 1, 2048>;
using ScoresGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using ValuesGm = GlobalTensor<float, Shape<1, 1, 1, 1, 2048>, Stride<1, 1, 1, 2048, 1>>;
using IndicesGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 2048>, Stride<1, 1, 1, 2048, 1>>;
}  // namespace

extern "C" __global__ AICORE void topk_long(
    __gm__ float *values,
    __gm__ int32_t *indices,
    __gm__ float *scores,
    int32_t rows,
    int32_t keys,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(rows) * 16384);  // values, indices: around the cache if large
    for (int32_t rows0 = block; rows0 < rows; rows0 += nblk) {
        // values, indices: topk(scores, 2048)
        VecI32_1x2048 positions; TASSIGN(positions, 0x00000);  // UB 0x00000..0x02000
        VecI32_1x33088 candidates; TASSIGN(candidates, 0x02000);  // UB 0x02000..0x22500
        ScoresGm scores_in(scores + int64_t(keys) * rows0, {keys}, {int64_t(keys)});
        TTOPK(positions, scores_in, candidates);
        VecF32_1x2048 values_tile; TASSIGN(values_tile, 0x02000);  // UB 0x02000..0x04000
        ScoresGm scores_in_2(scores + int64_t(keys) * rows0, {keys}, {int64_t(keys)});
        MGATHER(values_tile, scores_in_2, positions);
        ValuesGm values_out(values + int64_t(rows0) * 2048);
        IndicesGm indices_out(indices + int64_t(rows0) * 2048);
        TPASS(1, 2048, [&](auto at) {
            const auto values_tile_v = at.load(values_tile);
            at.store(values_out, values_tile_v, far);
            const auto positions_v = at.load(positions);
            at.store(indices_out, positions_v, far);
        });
    }
#endif
}
