// scans_vec2: vector kernel of `scans` for cpu. Made by pyptogen; change the spec, not this file.
// stages scans; tiles i1 8; memory UB 16640 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x8 = Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, DYNAMIC, 8>;
using VecF32_8x256 = Tile<TileType::Vec, float, 8, 256, BLayout::RowMajor, DYNAMIC, 256>;
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
    for (int32_t i1 = block * 8; i1 < rows; i1 += nblk * 8) {
        const int32_t i1_valid = rows - i1 < 8 ? rows - i1 : 8;
        // product: cumprod(x, axis=-1)
        VecF32_8x8 last(i1_valid); TASSIGN(last, 0x00000);  // UB 0x00000..0x00100
        TEXPANDS(last, 1.0f);
        VecF32_8x256 part(i1_valid); TASSIGN(part, 0x00100);  // UB 0x00100..0x02100
        XGm x_in(x + int64_t(i1) * 256, {i1_valid});
        TLOAD(part, x_in);
        VecF32_8x256 sums(i1_valid); TASSIGN(sums, 0x02100);  // UB 0x02100..0x04100
        TROWCUMPROD(sums, part, last);
        XGm product_out(product + int64_t(i1) * 256, {i1_valid});
        TSTORE(product_out, sums);
    }
#endif
}
