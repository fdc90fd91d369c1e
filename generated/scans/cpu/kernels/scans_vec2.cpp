// scans_vec2: vector kernel of `scans` for cpu. Made by pyptogen; change the spec, not this file.
// stages scans; tiles i1 8, i2 1; memory UB 96 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, 256, 1>>;
}  // namespace

extern "C" __global__ AICORE void scans_vec2(
    __gm__ float *product,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i1 = block * 8; i1 < rows; i1 += nblk * 8) {
        const int32_t i1_valid = rows - i1 < 8 ? rows - i1 : 8;
        // product: cumprod(x, axis=-1)  [scans.yaml:19]
        VecF32_1x8 total_row(i1_valid); TASSIGN(total_row, 0x00040);  // as a row, same bytes as total
        TEXPANDS(total_row, 1.0f);
        for (int32_t i2 = 0; i2 < 256; ++i2) {
            VecF32_8x1 part(i1_valid); TASSIGN(part, 0x00000);  // UB 0x00000..0x00020
            XGm x_in(x + int64_t(i1) * 256 + int64_t(i2), {i1_valid});
            TLOAD(part, x_in);
            VecF32_1x8 part_row(i1_valid); TASSIGN(part_row, 0x00000);  // as a row, same bytes as part
            TMUL(total_row, total_row, part_row);
            VecF32_8x1 total(i1_valid); TASSIGN(total, 0x00040);  // UB 0x00040..0x00060
            XGm product_out(product + int64_t(i1) * 256 + int64_t(i2), {i1_valid});
            TSTORE(product_out, total);
        }
    }
#endif
}
