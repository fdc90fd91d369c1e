#include "common.hpp"

using namespace pto;

namespace {

constexpr int kRows = 6;
constexpr int kCols = 320;

template <typename T>
using Block = Tile<TileType::Vec, T, kRows, kCols, BLayout::RowMajor, -1, -1>;
using Bytes = Tile<TileType::Vec, uint8_t, kRows, 64, BLayout::RowMajor, -1, -1>;
using Words = Tile<TileType::Vec, uint32_t, kRows, 16, BLayout::RowMajor, -1, -1>;

template <typename Mask, typename T>
void run_compare(int form, int mode, void* to, const T* first, const T* second, T scalar, int rows, int cols, int width)
{
    Block<T> a(rows, cols), b(rows, cols);
    Mask d(rows, width);
    TASSIGN(d, 0);
    TASSIGN(a, 0x8000);
    TASSIGN(b, 0x10000);
    fill_tile(d, to);
    fill_tile(a, first);
    fill_tile(b, second);
    const CmpMode cmp = static_cast<CmpMode>(mode);
    switch (form) {
        case 0: TCMP(d, a, b, cmp); break;
        case 1: TCMPS(d, a, scalar, cmp); break;
        default: TCMPS(d, a, b, cmp, RecordEvent()); break;
    }
    read_tile(to, d);
}

template <typename Mask, typename T>
void run_select(int form, T* to, const void* bits, const T* first, const T* second, T scalar, int rows, int cols)
{
    Block<T> d(rows, cols), a(rows, cols), b(rows, cols), tmp(1, cols);
    Mask mask(rows, Mask::Cols);
    TASSIGN(d, 0);
    TASSIGN(a, 0x8000);
    TASSIGN(b, 0x10000);
    TASSIGN(mask, 0x18000);
    TASSIGN(tmp, 0x20000);
    fill_tile(d, to);
    fill_tile(a, first);
    fill_tile(b, second);
    fill_tile(mask, bits);
    if (form == 0) {
        TSEL(d, mask, a, b, tmp);
    } else {
        TSELS(d, mask, a, tmp, scalar);
    }
    read_tile(to, d);
}

}  // namespace

#define COMPARE(NAME, T)                                                                                        \
    extern "C" void compare_##NAME(                                                                             \
        int words, int form, int mode, void* to, const T* a, const T* b, const T* scalar, int rows, int cols,   \
        int width)                                                                                              \
    {                                                                                                           \
        if (words) {                                                                                            \
            run_compare<Words, T>(form, mode, to, a, b, *scalar, rows, cols, width);                            \
        } else {                                                                                                \
            run_compare<Bytes, T>(form, mode, to, a, b, *scalar, rows, cols, width);                            \
        }                                                                                                       \
    }                                                                                                           \
    extern "C" void select_##NAME(                                                                              \
        int words, int form, T* to, const void* bits, const T* a, const T* b, const T* scalar, int rows, int cols) \
    {                                                                                                           \
        if (words) {                                                                                            \
            run_select<Words, T>(form, to, bits, a, b, *scalar, rows, cols);                                    \
        } else {                                                                                                \
            run_select<Bytes, T>(form, to, bits, a, b, *scalar, rows, cols);                                    \
        }                                                                                                       \
    }
COMPARE(fp32, float)
COMPARE(fp16, half)
COMPARE(bf16, bfloat16_t)
COMPARE(int8, int8_t)
COMPARE(uint16, uint16_t)
COMPARE(int32, int32_t)
COMPARE(uint64, uint64_t)
