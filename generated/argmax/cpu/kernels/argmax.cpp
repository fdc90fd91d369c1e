// argmax: vector kernel of `argmax` for cpu. Made by pyptogen; change the spec, not this file.
// stages argmax; tiles rows 16; memory UB 524352 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_16x4096 = Tile<TileType::Vec, float, 16, 4096, BLayout::RowMajor, DYNAMIC, 4096>;
using VecI32_16x1 = Tile<TileType::Vec, int32_t, 16, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecI32_1x16 = Tile<TileType::Vec, int32_t, 1, 16, BLayout::RowMajor, 1, DYNAMIC>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 4096>, Stride<1, 1, 1, 4096, 1>>;
using YGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
}  // namespace

extern "C" __global__ AICORE void argmax(
    __gm__ int32_t *y,
    __gm__ float *x,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t rows0 = rows_begin + block * 16; rows0 < rows_end; rows0 += nblk * 16) {
        const int32_t rows0_valid = rows_end - rows0 < 16 ? rows_end - rows0 : 16;
        // y: argmax(x, axis=-1, keepdim=true)  [argmax.yaml:15]
        VecF32_16x4096 x_tile(rows0_valid); TASSIGN(x_tile, 0x00000);  // UB 0x00000..0x40000
        XGm x_in(x + int64_t(rows0) * 4096, {rows0_valid});
        TLOAD(x_tile, x_in);
        VecI32_16x1 y_tile(rows0_valid); TASSIGN(y_tile, 0x40000);  // UB 0x40000..0x40040
        VecF32_16x4096 y_tile_tmp(rows0_valid); TASSIGN(y_tile_tmp, 0x40040);  // UB 0x40040..0x80040
        TROWARGMAX(y_tile, x_tile, y_tile_tmp);
        VecI32_1x16 y_tile_row(rows0_valid); TASSIGN(y_tile_row, 0x40000);  // as a row, same bytes as y_tile
        YGm y_out(y + int64_t(rows0), {rows0_valid});
        TSTORE(y_out, y_tile_row);
    }
#endif
}
