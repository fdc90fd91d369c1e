#include "common.hpp"

using namespace pto;

namespace {

constexpr int kRows = 16;
constexpr int kCols = 160;

template <typename T>
void run(int form, T* to, const T* whole, const T* part, int rows, int cols)
{
    using Block = Tile<TileType::Vec, T, kRows, kCols, BLayout::RowMajor, -1, -1>;
    Block d(rows, cols), a(rows, cols);
    Tile<TileType::Vec, T, kRows, 1, BLayout::ColMajor, -1, 1> column(rows);
    Tile<TileType::Vec, T, 1, kCols, BLayout::RowMajor, 1, -1> row(cols);
    TASSIGN(d, 0);
    TASSIGN(a, 0x8000);
    TASSIGN(column, 0x10000);
    TASSIGN(row, 0x10000);
    fill_tile(d, to);
    fill_tile(a, whole);
    if (form == 2) {
        fill_tile(row, part);
        TCOLEXPANDEXPDIF(d, a, row);
    } else {
        fill_tile(column, part);
        if (form == 0) {
            TROWEXPANDEXPDIF(d, a, column);
        } else {
            TROWEXPANDEXPDIF(d, column, a, d, RecordEvent());
        }
    }
    read_tile(to, d);
}

}  // namespace

#define EXPAND_EXP(NAME, T)                                                                                \
    extern "C" void expand_exp_##NAME(int form, T* to, const T* whole, const T* part, int rows, int cols)  \
    {                                                                                                      \
        run<T>(form, to, whole, part, rows, cols);                                                         \
    }
EXPAND_EXP(fp32, float)
EXPAND_EXP(fp16, half)
EXPAND_EXP(bf16, bfloat16_t)
