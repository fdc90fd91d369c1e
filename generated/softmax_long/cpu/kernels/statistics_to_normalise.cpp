// statistics_to_normalise: vector kernel of `softmax_long` for cpu. Made by pyptogen; change the spec, not this file.
// stages statistics, normalise; tiles rows 1; memory UB 65632 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x16384_r1 = Tile<TileType::Vec, float, 8, 16384, BLayout::RowMajor, 1, 16384>;
using VecF32_8x1_r1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, 1, 16384>, Stride<1, 1, 1, 16384, 1>>;
}  // namespace

extern "C" __global__ AICORE void statistics_to_normalise(
    __gm__ float *y,
    __gm__ float *x,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(rows_end - rows_begin) * 65536);  // y: around the cache if large
    for (int32_t rows0 = rows_begin + block; rows0 < rows_end; rows0 += nblk) {
        VecF32_8x16384_r1 x_tile; TASSIGN(x_tile, 0x00040);  // UB 0x00040..0x10040
        VecF32_8x1_r1 top; TASSIGN(top, 0x00000);  // UB 0x00000..0x00020
        XGm x_in(x + int64_t(rows0) * 16384);
        TPASS(1, 16384, [&](auto at, auto &top_max) {
            // top:   amax(x, axis=-1, keepdim=true)
            const auto x_tile_v = at.load(x_in);
            at.store(x_tile, x_tile_v);
            top_max.take(at, x_tile_v);
        }, RowMax(top));
        VecF32_8x1_r1 total; TASSIGN(total, 0x10040);  // UB 0x10040..0x10060
        VecF32_8x16384_r1 y_2; TASSIGN(y_2, 0x00040);  // UB 0x00040..0x10040
        TPASS(1, 16384, [&](auto at, auto &total_sum) {
            // total: sum(exp(x - top), axis=-1, keepdim=true)
            at.ask_for(x_in, nblk);  // the next iteration's
            const auto x_tile_v = at.load(x_tile);
            const auto total_1 = x_tile_v - at.column(top);
            const auto total_2 = at.exp(total_1);
            total_sum.take(at, total_2);
            // y: exp(x - top) / total
            const auto y_1 = x_tile_v - at.column(top);
            const auto y_2_v = at.exp(y_1);
            at.store(y_2, y_2_v);
        }, RowSum(total));
        XGm y_out(y + int64_t(rows0) * 16384);
        TPASS(1, 16384, [&](auto at, auto &total_divisor) {
            const auto y_2_v = at.load(y_2);
            const auto y_tile = y_2_v / total_divisor;
            at.store(y_out, y_tile, far);
        }, Divisor(total));
    }
#endif
}
