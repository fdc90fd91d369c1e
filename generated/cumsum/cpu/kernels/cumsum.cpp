// cumsum: vector kernel of `cumsum` for cpu. Made by pyptogen; change the spec, not this file.
// stages cumsum; tiles cols 256, rows 8; memory UB 16384 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x256_c8 = Tile<TileType::Vec, float, 8, 256, BLayout::RowMajor, DYNAMIC, 8>;
using VecF32_8x256 = Tile<TileType::Vec, float, 8, 256, BLayout::RowMajor, DYNAMIC, 256>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 1024, 1>>;
}  // namespace

extern "C" __global__ AICORE void cumsum(
    __gm__ float *y,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t rows0 = block * 8; rows0 < rows; rows0 += nblk * 8) {
        const int32_t rows0_valid = rows - rows0 < 8 ? rows - rows0 : 8;
        // y: cumsum(x, axis=-1)
        VecF32_8x256_c8 y_tile_so_far(rows0_valid); TASSIGN(y_tile_so_far, 0x003e0);  // columns 248.. of y_tile
        TEXPANDS(y_tile_so_far, 0.0f);
        for (int32_t cols0 = 0; cols0 < 1024; cols0 += 256) {
            VecF32_8x256 x_tile(rows0_valid); TASSIGN(x_tile, 0x02000);  // UB 0x02000..0x04000
            XGm x_in(x + int64_t(rows0) * 1024 + int64_t(cols0), {rows0_valid});
            TLOAD(x_tile, x_in);
            VecF32_8x256 y_tile(rows0_valid); TASSIGN(y_tile, 0x00000);  // UB 0x00000..0x02000
            TROWCUMSUM(y_tile, x_tile, y_tile_so_far);
            XGm y_out(y + int64_t(rows0) * 1024 + int64_t(cols0), {rows0_valid});
            TSTORE(y_out, y_tile);
        }
    }
#endif
}
