#include "common.hpp"

using namespace pto;

namespace {

constexpr int kRows = 6;
constexpr int kCols = 320;

template <typename T>
void run(int op, T* to, const T* first, const T* second, int rows, int cols)
{
    Tile<TileType::Vec, T, kRows, kCols, BLayout::RowMajor, -1, -1> d(rows, cols), a(rows, cols), b(rows, cols);
    Tile<TileType::Vec, T, 16, 1, BLayout::ColMajor, -1, -1> of_rows(rows, 1);
    Tile<TileType::Vec, T, 1, kCols, BLayout::RowMajor, -1, -1> of_columns(1, cols);
    TASSIGN(d, 0);
    TASSIGN(a, 0x4000);
    TASSIGN(b, 0x8000);
    TASSIGN(of_rows, 0);
    TASSIGN(of_columns, 0);
    fill_tile(d, to);
    fill_tile(a, first);
    fill_tile(b, second);
    switch (op) {
        case 0: TADD(d, a, b); break;
        case 1: TSUB(d, a, b); break;
        case 2: TMUL(d, a, b); break;
        case 3: TMAX(d, a, b); break;
        case 4: TMIN(d, a, b); break;
        case 5: TMAXS(d, a, second[0]); break;
        case 6: TMINS(d, a, second[0]); break;
        case 7: TROWMAX(of_rows, a, b); break;
        case 8: TROWMIN(of_rows, a, b); break;
        case 9: TCOLMAX(of_columns, a); break;
        case 10: TCOLMIN(of_columns, a); break;
        default: break;
    }
    read_tile(to, d);
}

}  // namespace

extern "C" void run_fp16(int op, half* to, const half* a, const half* b, int rows, int cols) { run(op, to, a, b, rows, cols); }
extern "C" void run_bf16(int op, bfloat16_t* to, const bfloat16_t* a, const bfloat16_t* b, int rows, int cols)
{
    run(op, to, a, b, rows, cols);
}
