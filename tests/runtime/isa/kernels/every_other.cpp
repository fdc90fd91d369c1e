#include "common.hpp"

using namespace pto;

namespace {

constexpr int kMost = 100;

/// Rows of every second element into a tile, and from there to every second place again.
template <typename T>
void there_and_back(T* apart, T* from, T* to, int rows, int cols)
{
    Tile<TileType::Vec, T, 4, 128, BLayout::RowMajor, -1, -1> tile(rows, cols);
    TASSIGN(tile, 0);
    using Pairs = GlobalTensor<T, Shape<1, 1, 1, -1, -1>, Stride<1, 1, 1, 2 * kMost, 2>, Layout::DN>;
    using Plain = GlobalTensor<T, Shape<1, 1, 1, -1, -1>, Stride<1, 1, 1, kMost, 1>>;
    Pairs source(from, {rows, cols}), result(to, {rows, cols});
    Plain plain(apart, {rows, cols});
    TLOAD(tile, source);
    TSTORE(plain, tile);
    TSTORE(result, tile);
}

}  // namespace

#define EVERY_OTHER(name, type)                                                                          \
    extern "C" void every_other_##name(type* apart, type* from, type* to, int rows, int cols)            \
    {                                                                                                    \
        there_and_back<type>(apart, from, to, rows, cols);                                               \
    }
EVERY_OTHER(int8, int8_t)
EVERY_OTHER(int16, int16_t)
EVERY_OTHER(fp32, float)
EVERY_OTHER(int64, int64_t)
