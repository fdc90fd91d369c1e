// along_rows_vec2: vector kernel of `reductions` for cpu. Made by pyptogen; change the spec, not this file.
// stages along_rows; tiles i2 8; memory UB 20608 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x512 = Tile<TileType::Vec, float, 8, 512, BLayout::RowMajor, DYNAMIC, 512>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_8x128 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using Product2Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 512, 1>>;
using ProductGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
}  // namespace

extern "C" __global__ AICORE void along_rows_vec2(
    __gm__ float *product,
    __gm__ float *product_2,
    int32_t rows,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i2 = block * 8; i2 < rows; i2 += nblk * 8) {
        const int32_t i2_valid = rows - i2 < 8 ? rows - i2 : 8;
        // product: prod(1 + x * 0.01)  [reductions.yaml:27]
        VecF32_1x8 total_2_row(i2_valid); TASSIGN(total_2_row, 0x00000);  // as a row, same bytes as total_2
        TEXPANDS(total_2_row, 1.0f);
        VecF32_8x512 part(i2_valid); TASSIGN(part, 0x00040);  // UB 0x00040..0x04040
        Product2Gm product_2_in(product_2 + int64_t(i2) * 512, {i2_valid});
        TLOAD(part, product_2_in);
        VecF32_8x1 found(i2_valid); TASSIGN(found, 0x04040);  // UB 0x04040..0x04060
        VecF32_8x128 found_tmp(i2_valid); TASSIGN(found_tmp, 0x04080);  // UB 0x04080..0x05080
        TROWPROD(found, part, found_tmp);
        VecF32_1x8 found_row(i2_valid); TASSIGN(found_row, 0x04040);  // as a row, same bytes as found
        TMUL(total_2_row, total_2_row, found_row);
        ProductGm product_out(product + int64_t(i2), {i2_valid});
        TSTORE(product_out, total_2_row);
    }
#endif
}
