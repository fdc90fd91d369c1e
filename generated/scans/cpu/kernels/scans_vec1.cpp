// scans_vec1: vector kernel of `scans` for cpu. Made by pyptogen; change the spec, not this file.
// stages scans; tiles rows 1; memory UB 1024 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x256 = Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, 256>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, 1, 256>, Stride<1, 1, 1, 256, 1>>;
}  // namespace

extern "C" __global__ AICORE void scans_vec1(
    __gm__ float *down,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(rows) * 1024);  // down: around the cache if large
    // down:    cumsum(x, axis=0)
    VecF32_1x256 down_tile; TASSIGN(down_tile, 0x00000);  // UB 0x00000..0x00400
    TEXPANDS(down_tile, 0.0f);
    for (int32_t rows0 = 0; rows0 < rows; ++rows0) {
        XGm x_in(x + int64_t(rows0) * 256);
        XGm down_out(down + int64_t(rows0) * 256);
        TPASS(1, 256, [&](auto at) {
            const auto x_tile = at.load(x_in);
            const auto down_tile_v = at.load(down_tile);
            const auto down_tile_v_2 = down_tile_v + x_tile;
            at.store(down_tile, down_tile_v_2);
            at.store(down_out, down_tile_v_2, far);
        });
    }
#endif
}
