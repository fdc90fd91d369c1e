// softmax: vector kernel of `softmax` for cpu. Made by pyptogen; change the spec, not this file.
// stages softmax; tiles rows 1; memory UB 16480 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x4096_r1 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, 1, 4096>;
using VecF32_8x1_r1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 4096, 1>>;
}  // namespace

extern "C" __global__ AICORE void softmax(
    __gm__ float *y,
    __gm__ float *x,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(rows_end - rows_begin) * 16384);  // y: around the cache if large
    for (int32_t rows0 = rows_begin + block; rows0 < rows_end; rows0 += nblk) {
        VecF32_8x4096_r1 x_tile; TASSIGN(x_tile, 0x00040);  // UB 0x00040..0x04040
        VecF32_8x1_r1 m; TASSIGN(m, 0x00000);  // UB 0x00000..0x00020
        XGm x_in(x + int64_t(rows0) * 4096);
        TPASS(1, 4096, [&](auto at, auto &m_max) {
            // m: amax(x, axis=-1, keepdim=true)
            const auto x_tile_v = at.load(x_in);
            at.store(x_tile, x_tile_v);
            m_max.take(at, x_tile_v);
        }, RowMax(m));
        VecF32_8x4096_r1 e; TASSIGN(e, 0x00040);  // UB 0x00040..0x04040
        VecF32_8x1_r1 y_1; TASSIGN(y_1, 0x04040);  // UB 0x04040..0x04060
        TPASS(1, 4096, [&](auto at, auto &y_1_sum) {
            // e: exp(x - m)
            at.ask_for(x_in, nblk);  // the next iteration's
            const auto x_tile_v = at.load(x_tile);
            const auto e_1 = x_tile_v - at.column(m);
            const auto e_v = at.exp(e_1);
            at.store(e, e_v);
            // y: e / sum(e, axis=-1, keepdim=true)
            y_1_sum.take(at, e_v);
        }, RowSum(y_1));
        XGm y_out(y + int64_t(rows0) * 4096);
        TPASS(1, 4096, [&](auto at, auto &y_1_divisor) {
            const auto e_v = at.load(e);
            const auto y_tile = e_v / y_1_divisor;
            at.store(y_out, y_tile, far);
        }, Divisor(y_1));
    }
#endif
}
