// along_rows: vector kernel of `reductions` for a2a3. Made by pyptogen; change the spec, not this file.
// stages along_rows; tiles rows 16; memory UB 107328 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_16x512 = Tile<TileType::Vec, float, 16, 512, BLayout::RowMajor, DYNAMIC, 512>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_16x128 = Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, DYNAMIC>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 512, 1>>;
using TotalGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using AverageGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ float *total,
    __gm__ float *largest,
    __gm__ float *least,
    __gm__ float *average,
    __gm__ float *product,
    __gm__ float *spread,
    __gm__ float *x,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t rows0_buffer = 0;  // which of 2 buffers this iteration of rows0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID4); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID6); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID7);  // 2 buffers are free at first
    for (int32_t rows0 = rows_begin + block * 16; rows0 < rows_end; rows0 += nblk * 16, rows0_buffer ^= 1) {
        const int32_t rows0_valid = rows_end - rows0 < 16 ? rows_end - rows0 : 16;
        // total: sum(x)
        VecF32_16x512 x_tile(rows0_valid); TASSIGN(x_tile, 0x00000 + rows0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));  // free again
        XGm x_in(x + int64_t(rows0) * 512, {rows0_valid});
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        VecF32_16x1 total_1(rows0_valid); TASSIGN(total_1, 0x10000 + rows0_buffer * 0x00040);  // UB 0x10000..0x10080, 2 copies
        VecF32_16x128 total_1_tmp(rows0_valid); TASSIGN<0x10300>(total_1_tmp);  // UB 0x10300..0x12300
        wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(6 + rows0_buffer));  // free again
        TROWSUM(total_1, x_tile, total_1_tmp);
        // largest: amax(x)
        VecF32_16x1 largest_1(rows0_valid); TASSIGN(largest_1, 0x10080 + rows0_buffer * 0x00040);  // UB 0x10080..0x10100, 2 copies
        VecF32_16x128 largest_1_tmp(rows0_valid); TASSIGN<0x10300>(largest_1_tmp);  // UB 0x10300..0x12300
        pipe_barrier(PIPE_V);
        TROWMAX(largest_1, x_tile, largest_1_tmp);
        set_flag(PIPE_V, PIPE_MTE3, event_t(6 + rows0_buffer));
        // least: amin(x)
        VecF32_16x1 least_1(rows0_valid); TASSIGN(least_1, 0x10100 + rows0_buffer * 0x00040);  // UB 0x10100..0x10180, 2 copies
        VecF32_16x128 least_1_tmp(rows0_valid); TASSIGN<0x10300>(least_1_tmp);  // UB 0x10300..0x12300
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(4 + rows0_buffer));  // free again
        TROWMIN(least_1, x_tile, least_1_tmp);
        // average: total * (1 / cols)
        VecF32_1x16 average_tile(rows0_valid); TASSIGN(average_tile, 0x10180 + rows0_buffer * 0x00040);  // UB 0x10180..0x10200, 2 copies
        VecF32_1x16 total_1_row(rows0_valid); TASSIGN(total_1_row, 0x10000 + rows0_buffer * 0x00040);  // as a row, same bytes as total_1
        TMULS(average_tile, total_1_row, 0.001953125f);
        set_flag(PIPE_V, PIPE_MTE3, event_t(4 + rows0_buffer));
        // product: prod(1 + x * 0.01)
        VecF32_16x512 product_1(rows0_valid); TASSIGN<0x10300>(product_1);  // UB 0x10300..0x18300
        pipe_barrier(PIPE_V);
        TMULS(product_1, x_tile, 0.01f);
        pipe_barrier(PIPE_V);
        TADDS(product_1, product_1, 1.0f);
        VecF32_16x1 product_3(rows0_valid); TASSIGN(product_3, 0x10200 + rows0_buffer * 0x00040);  // UB 0x10200..0x10280, 2 copies
        VecF32_16x128 product_3_tmp(rows0_valid); TASSIGN<0x18300>(product_3_tmp);  // UB 0x18300..0x1a300
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + rows0_buffer));  // free again
        TROWPROD(product_3, product_1, product_3_tmp);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + rows0_buffer));
        // spread: var(x)
        VecF32_16x512 spread_part(rows0_valid); TASSIGN<0x10300>(spread_part);  // UB 0x10300..0x18300
        pipe_barrier(PIPE_V);
        TMULS(spread_part, x_tile, 0.001953125f);
        VecF32_16x1 spread_mean(rows0_valid); TASSIGN<0x18300>(spread_mean);  // UB 0x18300..0x18340
        VecF32_16x128 spread_mean_tmp(rows0_valid); TASSIGN<0x18340>(spread_mean_tmp);  // UB 0x18340..0x1a340
        pipe_barrier(PIPE_V);
        TROWSUM(spread_mean, spread_part, spread_mean_tmp);
        VecF32_16x512 spread_c(rows0_valid); TASSIGN<0x10300>(spread_c);  // UB 0x10300..0x18300
        pipe_barrier(PIPE_V);
        TROWEXPANDSUB(spread_c, x_tile, spread_mean);
        set_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));
        VecF32_16x512 spread_square(rows0_valid); TASSIGN<0x10300>(spread_square);  // UB 0x10300..0x18300
        pipe_barrier(PIPE_V);
        TMUL(spread_square, spread_c, spread_c);
        VecF32_16x1 spread_total(rows0_valid); TASSIGN<0x18300>(spread_total);  // UB 0x18300..0x18340
        VecF32_16x128 spread_total_tmp(rows0_valid); TASSIGN<0x18340>(spread_total_tmp);  // UB 0x18340..0x1a340
        pipe_barrier(PIPE_V);
        TROWSUM(spread_total, spread_square, spread_total_tmp);
        VecF32_1x16 spread_tile(rows0_valid); TASSIGN(spread_tile, 0x10280 + rows0_buffer * 0x00040);  // UB 0x10280..0x10300, 2 copies
        VecF32_1x16 spread_total_row(rows0_valid); TASSIGN<0x18300>(spread_total_row);  // as a row, same bytes as spread_total
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));  // free again
        TMULS(spread_tile, spread_total_row, 0.0019569471f);
        set_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(6 + rows0_buffer));
        // total: sum(x)
        TotalGm total_out(total + int64_t(rows0), {rows0_valid});
        TSTORE(total_out, total_1_row);
        // largest: amax(x)
        VecF32_1x16 largest_1_row(rows0_valid); TASSIGN(largest_1_row, 0x10080 + rows0_buffer * 0x00040);  // as a row, same bytes as largest_1
        TotalGm largest_out(largest + int64_t(rows0), {rows0_valid});
        TSTORE(largest_out, largest_1_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(6 + rows0_buffer));
        // least: amin(x)
        VecF32_1x16 least_1_row(rows0_valid); TASSIGN(least_1_row, 0x10100 + rows0_buffer * 0x00040);  // as a row, same bytes as least_1
        wait_flag(PIPE_V, PIPE_MTE3, event_t(4 + rows0_buffer));
        TotalGm least_out(least + int64_t(rows0), {rows0_valid});
        TSTORE(least_out, least_1_row);
        // average: total * (1 / cols)
        AverageGm average_out(average + int64_t(rows0), {rows0_valid});
        TSTORE(average_out, average_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(4 + rows0_buffer));
        // product: prod(1 + x * 0.01)
        VecF32_1x16 product_3_row(rows0_valid); TASSIGN(product_3_row, 0x10200 + rows0_buffer * 0x00040);  // as a row, same bytes as product_3
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + rows0_buffer));
        TotalGm product_out(product + int64_t(rows0), {rows0_valid});
        TSTORE(product_out, product_3_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        // spread: var(x)
        AverageGm spread_out(spread + int64_t(rows0), {rows0_valid});
        TSTORE(spread_out, spread_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID4); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID6); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID7);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void along_rows(
    __gm__ float *total, __gm__ float *largest, __gm__ float *least, __gm__ float *average, __gm__ float *product,
    __gm__ float *spread, __gm__ float *x, int32_t rows_begin, int32_t rows_end, int32_t nblk)
{
    run_block(
        total, largest, least, average, product, spread, x, rows_begin, rows_end, nblk,
        static_cast<int32_t>(get_block_idx()));
}
