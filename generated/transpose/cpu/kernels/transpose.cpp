// transpose: vector kernel of `transpose` for cpu. Made by pyptogen; change the spec, not this file.
// stages transpose; tiles i1 64, i2 64, i3 1; memory UB 49152 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x64 = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 200, 1>>;
using YGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void transpose(
    __gm__ float *y,
    __gm__ float *x,
    int32_t batch,
    int32_t m,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i3 = block; i3 < batch; i3 += nblk) {
        for (int32_t i1 = 0; i1 < 200; i1 += 64) {
            const int32_t i1_valid = 200 - i1 < 64 ? 200 - i1 : 64;
            for (int32_t i2 = 0; i2 < m; i2 += 64) {
                const int32_t i2_valid = m - i2 < 64 ? m - i2 : 64;
                // y: transpose(x, 1, 2)
                VecF32_64x64 part(i2_valid, i1_valid); TASSIGN(part, 0x00000);  // UB 0x00000..0x04000
                XGm x_in(x + int64_t(i2) * 200 + int64_t(i3) * m * 200 + int64_t(i1), {i2_valid, i1_valid});
                TLOAD(part, x_in);
                VecF32_64x64 transposed(i1_valid, i2_valid); TASSIGN(transposed, 0x04000);  // UB 0x04000..0x08000
                VecF32_64x64 transposed_tmp(i2_valid, i1_valid); TASSIGN(transposed_tmp, 0x08000);  // UB 0x08000..0x0c000
                TTRANS(transposed, part, transposed_tmp);
                YGm y_out(y + int64_t(i3) * m * 200 + int64_t(i1) * m + int64_t(i2), {i1_valid, i2_valid}, {int64_t(m)});
                TSTORE(y_out, transposed);
            }
        }
    }
#endif
}
