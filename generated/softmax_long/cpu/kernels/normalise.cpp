// normalise: vector kernel of `softmax_long` for cpu. Made by pyptogen; change the spec, not this file.
// stages normalise; tiles cols 1024, rows 8; memory UB 96 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using TopGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 16384, 1>>;
}  // namespace

extern "C" __global__ AICORE void normalise(
    __gm__ float *y,
    __gm__ float *x,
    __gm__ float *top,
    __gm__ float *total,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(rows_end - rows_begin) * 65536);  // y: around the cache if large
    for (int32_t rows0 = rows_begin; rows0 < rows_end; rows0 += 8) {
        const int32_t rows0_valid = rows_end - rows0 < 8 ? rows_end - rows0 : 8;
        // y: exp(x - top) / total  [softmax_long.yaml:20]
        VecF32_1x8 top_tile_row(rows0_valid); TASSIGN(top_tile_row, 0x00000);  // as a row, same bytes as top_tile
        TopGm top_in(top + int64_t(rows0), {rows0_valid});
        TLOAD(top_tile_row, top_in);
        VecF32_1x8 total_tile_row(rows0_valid); TASSIGN(total_tile_row, 0x00040);  // as a row, same bytes as total_tile
        TopGm total_in(total + int64_t(rows0), {rows0_valid});
        TLOAD(total_tile_row, total_in);
        for (int32_t cols0 = block * 1024; cols0 < 16384; cols0 += nblk * 1024) {
            VecF32_8x1 top_tile(rows0_valid); TASSIGN(top_tile, 0x00000);  // UB 0x00000..0x00020
            VecF32_8x1 total_tile(rows0_valid); TASSIGN(total_tile, 0x00040);  // UB 0x00040..0x00060
            XGm x_in(x + int64_t(rows0) * 16384 + int64_t(cols0), {rows0_valid});
            XGm y_out(y + int64_t(rows0) * 16384 + int64_t(cols0), {rows0_valid});
            TPASS(rows0_valid, 1024, [&](auto at, auto &total_tile_divisor) {
                const auto x_tile = at.load(x_in);
                const auto y_1 = x_tile - at.column(top_tile);
                const auto y_2 = at.exp(y_1);
                const auto y_tile = y_2 / total_tile_divisor;
                at.store(y_out, y_tile, far);
            }, Divisor(total_tile));
        }
    }
#endif
}
