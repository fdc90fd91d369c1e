// sinkhorn_vec9: vector kernel of `sinkhorn` for cpu. Made by pyptogen; change the spec, not this file.
// stages sinkhorn; tiles t 1; memory UB 32 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x8_c4 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 4>;
using Y1Gm = GlobalTensor<float, Shape<1, 1, 1, 1, 4>, Stride<1, 1, 1, 4, 1>>;
using YRGm = GlobalTensor<float, Shape<1, 1, 1, 4, 4>, Stride<1, 1, 1, 4, 1>>;
}  // namespace

extern "C" __global__ AICORE void sinkhorn_vec9(
    __gm__ float *y,
    __gm__ float *y_r,
    __gm__ float *y_1,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 64);  // y: around the cache if large
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        // return: r / sum(r, axis=-2, keepdim=true)  [sinkhorn.yaml:17]
        VecF32_1x8_c4 y_1_tile; TASSIGN(y_1_tile, 0x00000);  // UB 0x00000..0x00020
        Y1Gm y_1_in(y_1 + int64_t(t0) * 4);
        TLOAD(y_1_tile, y_1_in);
        YRGm y_r_in(y_r + int64_t(t0) * 16);
        YRGm y_out(y + int64_t(t0) * 16);
        TPASS(4, 4, [&](auto at) {
            const auto y_r_tile = at.load(y_r_in);
            const auto y_tile = y_r_tile / at.row(y_1_tile);
            at.store(y_out, y_tile, far);
        });
    }
#endif
}
