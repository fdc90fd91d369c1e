#include "common.hpp"

using namespace pto;

namespace {

constexpr int kRows = 32;
constexpr int kCols = 160;

template <typename T>
using Block = Tile<TileType::Vec, T, kRows, kCols, BLayout::RowMajor, -1, -1>;
template <typename T>
using Column = Tile<TileType::Vec, T, kRows, 1, BLayout::ColMajor, -1, 1>;
template <typename T>
using Row = Tile<TileType::Vec, T, 1, kCols, BLayout::RowMajor, 1, -1>;

template <typename T>
void arg(int op, T* extremes, int32_t* positions, const T* from, int rows, int cols)
{
    Block<T> a(rows, cols), tmp(rows, cols);
    Column<T> column(rows);
    Row<T> row(cols);
    Column<uint32_t> column_at(rows);
    Row<int32_t> row_at(cols), all_at(kCols);
    Row<T> all(kCols);
    RecordEvent event;
    TASSIGN(a, 0);
    TASSIGN(tmp, 0x10000);
    TASSIGN(column, 0x20000);
    TASSIGN(row, 0x20000);
    TASSIGN(all, 0x20000);
    TASSIGN(column_at, 0x24000);
    TASSIGN(row_at, 0x24000);
    TASSIGN(all_at, 0x24000);
    fill_tile(a, from);
    fill_tile(all, extremes);
    fill_tile(all_at, positions);
    switch (op) {
        case 0: TROWARGMAX(column_at, a, tmp); break;
        case 1: TROWARGMIN(column_at, a, tmp, event); break;
        case 2: TROWARGMAX(column, column_at, a, tmp); break;
        case 3: TROWARGMIN(column, column_at, a, tmp, event); break;
        case 4: TCOLARGMAX(row_at, a, tmp); break;
        case 5: TCOLARGMIN(row_at, a, tmp, event); break;
        case 6: TCOLARGMAX(row, row_at, a, tmp); break;
        case 7: TCOLARGMIN(row, row_at, a, tmp, event); break;
        default: break;
    }
    read_tile(extremes, all);
    read_tile(positions, all_at);
}

template <typename T>
void product(int op, T* to, const T* from, int rows, int cols)
{
    Block<T> a(rows, cols), d(rows, cols);
    Column<T> column(rows);
    Row<T> row(cols);
    TASSIGN(a, 0);
    TASSIGN(d, 0x10000);
    TASSIGN(column, 0x10000);
    TASSIGN(row, 0x10000);
    fill_tile(a, from);
    fill_tile(d, to);
    switch (op) {
        case 0: TROWPROD(column, a, a); break;
        case 1: TCOLPROD(row, a); break;
        case 2: TPAIRREDUCESUM(d, a); break;
        default: break;
    }
    read_tile(to, d);
}

}  // namespace

#define ARG_REDUCE(NAME, T)                                                                                   \
    extern "C" void arg_##NAME(int op, T* extremes, int32_t* positions, const T* from, int rows, int cols)    \
    {                                                                                                         \
        arg<T>(op, extremes, positions, from, rows, cols);                                                    \
    }                                                                                                         \
    extern "C" void product_##NAME(int op, T* to, const T* from, int rows, int cols)                          \
    {                                                                                                         \
        product<T>(op, to, from, rows, cols);                                                                 \
    }
ARG_REDUCE(fp32, float)
ARG_REDUCE(fp16, half)
ARG_REDUCE(bf16, bfloat16_t)
ARG_REDUCE(int8, int8_t)
ARG_REDUCE(uint16, uint16_t)
ARG_REDUCE(int32, int32_t)
ARG_REDUCE(int64, int64_t)
