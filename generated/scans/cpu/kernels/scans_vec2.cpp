// scans_vec2: vector kernel of `scans` for cpu. Made by pyptogen; change the spec, not this file.
// stages scans; tiles rows 8; memory UB 16640 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x256 = Tile<TileType::Vec, float, 8, 256, BLayout::RowMajor, DYNAMIC, 256>;
using VecF32_8x8 = Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, DYNAMIC, 8>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 256, 1>>;
}  // namespace

extern "C" __global__ AICORE void scans_vec2(
    __gm__ float *product,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t rows0 = block * 8; rows0 < rows; rows0 += nblk * 8) {
        const int32_t rows0_valid = rows - rows0 < 8 ? rows - rows0 : 8;
        // product: cumprod(x, axis=-1)
        VecF32_8x256 x_tile(rows0_valid); TASSIGN(x_tile, 0x00000);  // UB 0x00000..0x02000
        XGm x_in(x + int64_t(rows0) * 256, {rows0_valid});
        TLOAD(x_tile, x_in);
        VecF32_8x8 product_tile_before(rows0_valid); TASSIGN(product_tile_before, 0x02000);  // UB 0x02000..0x02100
        TEXPANDS(product_tile_before, 1.0f);
        VecF32_8x256 product_tile(rows0_valid); TASSIGN(product_tile, 0x02100);  // UB 0x02100..0x04100
        TROWCUMPROD(product_tile, x_tile, product_tile_before);
        XGm product_out(product + int64_t(rows0) * 256, {rows0_valid});
        TSTORE(product_out, product_tile);
    }
#endif
}
