// cumsum: vector kernel of `cumsum` for cpu. Made by pyptogen; change the spec, not this file.
// stages cumsum; tiles i1 8, i2 256; memory UB 16384 B
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
    for (int32_t i1 = block * 8; i1 < rows; i1 += nblk * 8) {
        const int32_t i1_valid = rows - i1 < 8 ? rows - i1 : 8;
        // y: cumsum(x, axis=-1)
        VecF32_8x256_c8 last(i1_valid); TASSIGN(last, 0x003e0);  // columns 248.. of sums
        TEXPANDS(last, 0.0f);
        for (int32_t i2 = 0; i2 < 1024; i2 += 256) {
            VecF32_8x256 part(i1_valid); TASSIGN(part, 0x02000);  // UB 0x02000..0x04000
            XGm x_in(x + int64_t(i1) * 1024 + int64_t(i2), {i1_valid});
            TLOAD(part, x_in);
            VecF32_8x256 sums(i1_valid); TASSIGN(sums, 0x00000);  // UB 0x00000..0x02000
            TROWCUMSUM(sums, part, last);
            XGm y_out(y + int64_t(i1) * 1024 + int64_t(i2), {i1_valid});
            TSTORE(y_out, sums);
        }
    }
#endif
}
