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
using Blocks32 = Tile<TileType::Vec, T, kRows, 32 / sizeof(T), BLayout::RowMajor, -1, 32 / sizeof(T)>;

template <typename T>
void reduce(int op, T* to, const T* from, int rows, int cols)
{
    Block<T> a(rows, cols), scratch(rows, cols);
    Column<T> column(rows);
    Row<T> row(cols);
    TASSIGN(a, 0);
    TASSIGN(scratch, 0x10000);
    TASSIGN(column, 0x20000);
    TASSIGN(row, 0x20000);
    fill_tile(a, from);
    fill_tile(row, to);
    switch (op) {
        case 0: TROWSUM(column, a, scratch); break;
        case 1: TROWMAX(column, a, scratch); break;
        case 2: TROWMIN(column, a, scratch); break;
        case 3: TCOLSUM(row, a); break;
        case 4: TCOLMAX(row, a); break;
        case 5: TCOLMIN(row, a); break;
        default: break;
    }
    read_tile(to, row);
}

// `form`: 0 column, 1 column as the first source, 2 one 32-byte block per row, 3 row.
template <typename T>
void expand(int op, int form, T* to, const T* whole, const T* part, int rows, int cols)
{
    Block<T> d(rows, cols), a(rows, cols);
    Column<T> column(rows);
    Row<T> row(cols);
    Blocks32<T> blocks(rows);
    TASSIGN(d, 0);
    TASSIGN(a, 0x10000);
    TASSIGN(column, 0x20000);
    TASSIGN(row, 0x20000);
    TASSIGN(blocks, 0x20000);
    fill_tile(d, to);
    fill_tile(a, whole);
    fill_tile(blocks, part);
    if (form == 3) {
        fill_tile(row, part);
    } else if (form != 2) {
        fill_tile(column, part);
    }
#define EXPAND(NUMBER, NAME)                                             \
    case NUMBER:                                                         \
        if (form == 0) {                                                 \
            TROWEXPAND##NAME(d, a, column);                              \
        } else if (form == 1) {                                          \
            TROWEXPAND##NAME(d, column, a);                              \
        } else if (form == 2) {                                          \
            TROWEXPAND##NAME(d, a, blocks, a);                           \
        } else {                                                         \
            TCOLEXPAND##NAME(d, a, row);                                 \
        }                                                                \
        break;
    switch (op) {
        EXPAND(0, ADD)
        EXPAND(1, SUB)
        EXPAND(2, MUL)
        EXPAND(3, DIV)
        EXPAND(4, MAX)
        EXPAND(5, MIN)
        case 6:
            if (form == 3) {
                TCOLEXPAND(d, row);
            } else {
                TROWEXPAND(d, column);
            }
            break;
        default: break;
    }
    read_tile(to, d);
}

}  // namespace

#define AXIS(NAME, T)                                                                                             \
    extern "C" void reduce_##NAME(int op, T* to, const T* from, int rows, int cols)                               \
    {                                                                                                             \
        reduce<T>(op, to, from, rows, cols);                                                                      \
    }                                                                                                             \
    extern "C" void expand_##NAME(int op, int form, T* to, const T* whole, const T* part, int rows, int cols)     \
    {                                                                                                             \
        expand<T>(op, form, to, whole, part, rows, cols);                                                         \
    }
AXIS(fp32, float)
AXIS(fp16, half)
AXIS(bf16, bfloat16_t)
AXIS(int32, int32_t)
AXIS(int16, int16_t)
AXIS(uint8, uint8_t)
AXIS(uint32, uint32_t)
AXIS(int64, int64_t)

extern "C" void tall_sum(float* to, const float* from, int rows)
{
    Tile<TileType::Vec, float, 64, 200, BLayout::RowMajor, -1, 200> a(rows);
    Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, -1, 1> column(rows);
    TASSIGN(a, 0);
    TASSIGN(column, 0x20000);
    fill_tile(a, from);
    TROWSUM(column, a, a);
    read_tile(to, column);
}
