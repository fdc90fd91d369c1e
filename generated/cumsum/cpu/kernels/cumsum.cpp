// cumsum: vector kernel of `cumsum` for cpu. Made by pyptogen; change the spec, not this file.
// stages cumsum; tiles i1 8, i2 1; memory UB 96 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, 1024, 1>>;
}  // namespace

extern "C" __global__ AICORE void cumsum(
    __gm__ float *y,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i1 = block * 8; i1 < rows; i1 += nblk * 8) {
        const int32_t i1_valid = rows - i1 < 8 ? rows - i1 : 8;
        // y: cumsum(x, axis=-1)  [cumsum.yaml:15]
        VecF32_1x8 total_row(i1_valid); TASSIGN(total_row, 0x00040);  // as a row, same bytes as total
        TEXPANDS(total_row, 0.0f);
        for (int32_t i2 = 0; i2 < 1024; ++i2) {
            VecF32_8x1 part(i1_valid); TASSIGN(part, 0x00000);  // UB 0x00000..0x00020
            XGm x_in(x + int64_t(i1) * 1024 + int64_t(i2), {i1_valid});
            TLOAD(part, x_in);
            VecF32_1x8 part_row(i1_valid); TASSIGN(part_row, 0x00000);  // as a row, same bytes as part
            TADD(total_row, total_row, part_row);
            VecF32_8x1 total(i1_valid); TASSIGN(total, 0x00040);  // UB 0x00040..0x00060
            XGm y_out(y + int64_t(i1) * 1024 + int64_t(i2), {i1_valid});
            TSTORE(y_out, total);
        }
    }
#endif
}
