// softmax_backward: vector kernel of `softmax_backward` for cpu. Made by pyptogen; change the spec, not this file.
// stages softmax_backward; tiles rows 1; memory UB 32832 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x4096_r1 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, 1, 4096>;
using VecF32_8x1_r1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1>;
using YGm = GlobalTensor<float, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 4096, 1>>;
}  // namespace

extern "C" __global__ AICORE void softmax_backward(
    __gm__ float *d_x,
    __gm__ float *y,
    __gm__ float *d_y,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(rows_end - rows_begin) * 16384);  // d_x: around the cache if large
    for (int32_t rows0 = rows_begin + block; rows0 < rows_end; rows0 += nblk) {
        VecF32_8x4096_r1 y_tile; TASSIGN(y_tile, 0x04040);  // UB 0x04040..0x08040
        VecF32_8x4096_r1 d_y_tile; TASSIGN(d_y_tile, 0x00040);  // UB 0x00040..0x04040
        VecF32_8x1_r1 d_x_2; TASSIGN(d_x_2, 0x00000);  // UB 0x00000..0x00020
        YGm y_in(y + int64_t(rows0) * 4096);
        YGm d_y_in(d_y + int64_t(rows0) * 4096);
        TPASS(1, 4096, [&](auto at, auto &d_x_2_sum) {
            // d_x: y * (d_y - sum(y * d_y, axis=-1, keepdim=true))
            const auto y_tile_v = at.load(y_in);
            at.store(y_tile, y_tile_v);
            const auto d_y_tile_v = at.load(d_y_in);
            at.store(d_y_tile, d_y_tile_v);
            const auto d_x_1 = y_tile_v * d_y_tile_v;
            d_x_2_sum.take(at, d_x_1);
        }, RowSum(d_x_2));
        YGm d_x_out(d_x + int64_t(rows0) * 4096);
        TPASS(1, 4096, [&](auto at) {
            const auto d_y_tile_v = at.load(d_y_tile);
            const auto d_x_3 = d_y_tile_v - at.column(d_x_2);
            const auto y_tile_v = at.load(y_tile);
            const auto d_x_tile = y_tile_v * d_x_3;
            at.store(d_x_out, d_x_tile, far);
        });
    }
#endif
}
