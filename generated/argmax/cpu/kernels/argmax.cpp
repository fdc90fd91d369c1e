// argmax: vector kernel of `argmax` for cpu. Made by pyptogen; change the spec, not this file.
// stages argmax; tiles rows 1; memory UB 32832 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x4096_r1 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, 1, 4096>;
using VecI32_8x1_r1 = Tile<TileType::Vec, int32_t, 8, 1, BLayout::ColMajor, 1, 1>;
using VecI32_1x8_c1 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 1>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 4096, 1>>;
using YGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 0, 1>>;
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
    for (int32_t rows0 = rows_begin + block; rows0 < rows_end; rows0 += nblk) {
        // y: argmax(x, axis=-1, keepdim=true)
        VecF32_8x4096_r1 x_tile; TASSIGN(x_tile, 0x00000);  // UB 0x00000..0x04000
        XGm x_in(x + int64_t(rows0) * 4096);
        TLOAD(x_tile, x_in);
        VecI32_8x1_r1 y_tile; TASSIGN(y_tile, 0x04000);  // UB 0x04000..0x04020
        VecF32_8x4096_r1 y_tile_tmp; TASSIGN(y_tile_tmp, 0x04040);  // UB 0x04040..0x08040
        TROWARGMAX(y_tile, x_tile, y_tile_tmp);
        VecI32_1x8_c1 y_tile_row; TASSIGN(y_tile_row, 0x04000);  // as a row, same bytes as y_tile
        YGm y_out(y + int64_t(rows0));
        TSTORE(y_out, y_tile_row);
    }
#endif
}
