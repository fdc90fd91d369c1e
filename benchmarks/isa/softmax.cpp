// A softmax in the common subset of the public simulator and these headers; both compile this very text.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {

constexpr int kCols = 2048;
constexpr int kRowsOfTile = 8;

using RowsTile = Tile<TileType::Vec, float, kRowsOfTile, kCols>;
using ColumnTile = Tile<TileType::Vec, float, kRowsOfTile, 1, BLayout::ColMajor>;
using ScratchTile = Tile<TileType::Vec, float, kRowsOfTile, 128>;
using RowsGlobal = GlobalTensor<float, Shape<1, 1, 1, kRowsOfTile, kCols>, pto::Stride<1, 1, 1, kCols, 1>>;

}  // namespace

extern "C" __global__ AICORE void softmax(__gm__ float* y, __gm__ float* x, int32_t rows)
{
    for (int32_t row = 0; row < rows; row += kRowsOfTile) {
        RowsTile tile;
        ColumnTile statistic;
        ScratchTile scratch;
        TASSIGN(tile, 0x00000);
        TASSIGN(statistic, 0x10000);
        TASSIGN(scratch, 0x10400);
        RowsGlobal from(x + row * kCols), to(y + row * kCols);
        TLOAD(tile, from);
        TROWMAX(statistic, tile, scratch);
        TROWEXPANDSUB(tile, tile, statistic);
        TEXP(tile, tile);
        TROWSUM(statistic, tile, scratch);
        TROWEXPANDDIV(tile, tile, statistic);
        TSTORE(to, tile);
    }
}
