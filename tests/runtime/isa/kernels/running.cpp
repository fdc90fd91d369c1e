// Running sums and products, in one go and in two parts of which the second goes on from the first.
#include "common.hpp"

using namespace pto;

namespace {

constexpr int kRows = 20, kCols = 40, kEnd = 8;

template <bool Sums, typename T>
void run(T* found, const T* from, const T* first, int rows, int cols)
{
    Tile<TileType::Vec, T, kRows, kCols, BLayout::RowMajor, -1, -1> sums(rows, cols), a(rows, cols);
    Tile<TileType::Vec, T, kRows, kEnd, BLayout::RowMajor, -1, -1> start(rows, 3);
    Tile<TileType::Vec, T, kRows, kCols, BLayout::RowMajor, -1, kEnd> end(rows);
    TASSIGN(sums, 0);
    TASSIGN(end, (kCols - kEnd) * sizeof(T));
    TASSIGN(a, 0x4000);
    TASSIGN(start, 0x8000);
    fill_tile(sums, found);
    fill_tile(a, from);
    fill_tile(start, first);
    if constexpr (Sums) {
        TROWCUMSUM(sums, a, start);
        if (cols == kCols) {
            read_tile(found + kRows * kCols, sums);
            TROWCUMSUM(sums, a, end);
        }
    } else {
        TROWCUMPROD(sums, a, start);
        if (cols == kCols) {
            read_tile(found + kRows * kCols, sums);
            TROWCUMPROD(sums, a, end);
        }
    }
    read_tile(found, sums);
}

}  // namespace

#define RUN(NAME, T)                                                                                             \
    extern "C" void cumsum_##NAME(T* f, T* x, T* s, int rows, int cols) { run<true>(f, x, s, rows, cols); }      \
    extern "C" void cumprod_##NAME(T* f, T* x, T* s, int rows, int cols) { run<false>(f, x, s, rows, cols); }

RUN(fp32, float)
RUN(int32, int32_t)
RUN(uint32, uint32_t)
RUN(int64, int64_t)
RUN(uint64, uint64_t)
