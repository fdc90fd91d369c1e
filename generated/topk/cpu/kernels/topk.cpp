// topk: vector kernel of `topk` for cpu. Made by pyptogen; change the spec, not this file.
// stages topk; tiles rows 1; memory UB 5632 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecI32_1x1344 = Tile<TileType::Vec, int32_t, 1, 1344, BLayout::RowMajor, 1, 1344>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 4096, 1>>;
using ValuesGm = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 64, 1>>;
using IndicesGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 64, 1>>;
}  // namespace

extern "C" __global__ AICORE void topk(
    __gm__ float *values,
    __gm__ int32_t *indices,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(rows) * 512);  // values, indices: around the cache if large
    for (int32_t rows0 = block; rows0 < rows; rows0 += nblk) {
        // values, indices: topk(x, 64)
        VecI32_1x64 positions; TASSIGN(positions, 0x00000);  // UB 0x00000..0x00100
        VecI32_1x1344 candidates; TASSIGN(candidates, 0x00100);  // UB 0x00100..0x01600
        XGm x_in(x + int64_t(rows0) * 4096);
        TTOPK(positions, x_in, candidates);
        VecF32_1x64 values_tile; TASSIGN(values_tile, 0x00100);  // UB 0x00100..0x00200
        XGm x_in_2(x + int64_t(rows0) * 4096);
        MGATHER(values_tile, x_in_2, positions);
        ValuesGm values_out(values + int64_t(rows0) * 64);
        IndicesGm indices_out(indices + int64_t(rows0) * 64);
        TPASS(1, 64, [&](auto at) {
            const auto values_tile_v = at.load(values_tile);
            at.store(values_out, values_tile_v, far);
            const auto positions_v = at.load(positions);
            at.store(indices_out, positions_v, far);
        });
    }
#endif
}
