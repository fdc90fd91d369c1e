// log_softmax: vector kernel of `log_softmax` for cpu. Made by pyptogen; change the spec, not this file.
// stages log_softmax; tiles rows 1; memory UB 16480 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x4096_r1 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, 1, 4096>;
using VecF32_8x1_r1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1>;
using VecF32_1x8_c1 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 4096, 1>>;
}  // namespace

extern "C" __global__ AICORE void log_softmax(
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
        VecF32_8x1_r1 c_1; TASSIGN(c_1, 0x00000);  // UB 0x00000..0x00020
        XGm x_in(x + int64_t(rows0) * 4096);
        TPASS(1, 4096, [&](auto at, auto &c_1_max) {
            // c: x - amax(x, axis=-1, keepdim=true)
            const auto x_tile_v = at.load(x_in);
            at.store(x_tile, x_tile_v);
            c_1_max.take(at, x_tile_v);
        }, RowMax(c_1));
        VecF32_8x4096_r1 c; TASSIGN(c, 0x00040);  // UB 0x00040..0x04040
        VecF32_8x1_r1 y_2; TASSIGN(y_2, 0x04040);  // UB 0x04040..0x04060
        TPASS(1, 4096, [&](auto at, auto &y_2_sum) {
            at.ask_for(x_in, nblk);  // the next iteration's
            const auto x_tile_v = at.load(x_tile);
            const auto c_v = x_tile_v - at.column(c_1);
            at.store(c, c_v);
            // y: c - log(sum(exp(c), axis=-1, keepdim=true))
            const auto y_1 = at.exp(c_v);
            y_2_sum.take(at, y_1);
        }, RowSum(y_2));
        VecF32_1x8_c1 y_3_row; TASSIGN(y_3_row, 0x00000);  // as a row, same bytes as y_3
        VecF32_1x8_c1 y_2_row; TASSIGN(y_2_row, 0x04040);  // as a row, same bytes as y_2
        TLOG(y_3_row, y_2_row);
        VecF32_8x1_r1 y_3; TASSIGN(y_3, 0x00000);  // UB 0x00000..0x00020
        XGm y_out(y + int64_t(rows0) * 4096);
        TPASS(1, 4096, [&](auto at) {
            const auto c_v = at.load(c);
            const auto y_tile = c_v - at.column(y_3);
            at.store(y_out, y_tile, far);
        });
    }
#endif
}
