// along_rows: vector kernel of `reductions` for cpu. Made by pyptogen; change the spec, not this file.
// stages along_rows; tiles rows 8; memory UB 37248 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x512 = Tile<TileType::Vec, float, 8, 512, BLayout::RowMajor, DYNAMIC, 512>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x128 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 512, 1>>;
using TotalGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using AverageGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void along_rows(
    __gm__ float *total,
    __gm__ float *largest,
    __gm__ float *least,
    __gm__ float *average,
    __gm__ float *product,
    __gm__ float *spread,
    __gm__ float *x,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(rows_end - rows_begin) * 8);  // average, spread: around the cache if large
    for (int32_t rows0 = rows_begin + block * 8; rows0 < rows_end; rows0 += nblk * 8) {
        const int32_t rows0_valid = rows_end - rows0 < 8 ? rows_end - rows0 : 8;
        VecF32_8x512 x_tile(rows0_valid); TASSIGN(x_tile, 0x00040);  // UB 0x00040..0x04040
        VecF32_8x1 total_1(rows0_valid); TASSIGN(total_1, 0x040c0);  // UB 0x040c0..0x040e0
        VecF32_8x1 largest_1(rows0_valid); TASSIGN(largest_1, 0x04080);  // UB 0x04080..0x040a0
        VecF32_8x1 least_1(rows0_valid); TASSIGN(least_1, 0x04040);  // UB 0x04040..0x04060
        VecF32_8x512 product_2(rows0_valid); TASSIGN(product_2, 0x04100);  // UB 0x04100..0x08100
        VecF32_8x1 spread_mean(rows0_valid); TASSIGN(spread_mean, 0x00000);  // UB 0x00000..0x00020
        XGm x_in(x + int64_t(rows0) * 512, {rows0_valid});
        TPASS(rows0_valid, 512, [&](auto at, auto &total_1_sum, auto &largest_1_max, auto &least_1_min, auto &spread_mean_sum) {
            // total: sum(x)
            const auto x_tile_v = at.load(x_in);
            at.store(x_tile, x_tile_v);
            total_1_sum.take(at, x_tile_v);
            // largest: amax(x)
            largest_1_max.take(at, x_tile_v);
            // least: amin(x)
            least_1_min.take(at, x_tile_v);
            // product: prod(1 + x * 0.01)
            const auto product_1 = x_tile_v * 0.01f;
            const auto product_2_v = product_1 + 1.0f;
            at.store(product_2, product_2_v);
            // spread: var(x)
            const auto spread_part = x_tile_v * 0.001953125f;
            spread_mean_sum.take(at, spread_part);
        }, RowSum(total_1), RowMax(largest_1), RowMin(least_1), RowSum(spread_mean));
        // average: total * (1 / cols)
        VecF32_1x8 average_tile(rows0_valid); TASSIGN(average_tile, 0x08100);  // UB 0x08100..0x08120
        VecF32_1x8 total_1_row(rows0_valid); TASSIGN(total_1_row, 0x040c0);  // as a row, same bytes as total_1
        TMULS(average_tile, total_1_row, 0.001953125f);
        // product: prod(1 + x * 0.01)
        VecF32_8x1 product_3(rows0_valid); TASSIGN(product_3, 0x08140);  // UB 0x08140..0x08160
        VecF32_8x128 product_3_tmp(rows0_valid); TASSIGN(product_3_tmp, 0x08180);  // UB 0x08180..0x09180
        TROWPROD(product_3, product_2, product_3_tmp);
        // total: sum(x)
        TotalGm total_out(total + int64_t(rows0), {rows0_valid});
        TSTORE(total_out, total_1_row);
        // largest: amax(x)
        VecF32_1x8 largest_1_row(rows0_valid); TASSIGN(largest_1_row, 0x04080);  // as a row, same bytes as largest_1
        TotalGm largest_out(largest + int64_t(rows0), {rows0_valid});
        TSTORE(largest_out, largest_1_row);
        // least: amin(x)
        VecF32_1x8 least_1_row(rows0_valid); TASSIGN(least_1_row, 0x04040);  // as a row, same bytes as least_1
        TotalGm least_out(least + int64_t(rows0), {rows0_valid});
        TSTORE(least_out, least_1_row);
        // product: prod(1 + x * 0.01)
        VecF32_1x8 product_3_row(rows0_valid); TASSIGN(product_3_row, 0x08140);  // as a row, same bytes as product_3
        TotalGm product_out(product + int64_t(rows0), {rows0_valid});
        TSTORE(product_out, product_3_row);
        VecF32_8x1 spread_total(rows0_valid); TASSIGN(spread_total, 0x04040);  // UB 0x04040..0x04060
        TPASS(rows0_valid, 512, [&](auto at, auto &spread_total_sum) {
            // spread: var(x)
            at.ask_between(x_in, nblk * 8);  // the next iteration's
            const auto x_tile_v = at.load(x_tile);
            const auto spread_c = x_tile_v - at.column(spread_mean);
            const auto spread_square = spread_c * spread_c;
            spread_total_sum.take(at, spread_square);
        }, RowSum(spread_total));
        VecF32_1x8 spread_tile(rows0_valid); TASSIGN(spread_tile, 0x00000);  // UB 0x00000..0x00020
        VecF32_1x8 spread_total_row(rows0_valid); TASSIGN(spread_total_row, 0x04040);  // as a row, same bytes as spread_total
        TMULS(spread_tile, spread_total_row, 0.0019569471f);
        AverageGm average_out(average + int64_t(rows0), {rows0_valid});
        AverageGm spread_out(spread + int64_t(rows0), {rows0_valid});
        TPASS(1, rows0_valid, [&](auto at) {
            // average: total * (1 / cols)
            const auto average_tile_v = at.load(average_tile);
            at.store(average_out, average_tile_v, far);
            // spread: var(x)
            const auto spread_tile_v = at.load(spread_tile);
            at.store(spread_out, spread_tile_v, far);
        });
    }
#endif
}
