// sinkhorn_vec1: vector kernel of `sinkhorn` for cpu. Made by pyptogen; change the spec, not this file.
// stages sinkhorn; tiles i2 64; memory UB 12288 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x16 = Tile<TileType::Vec, float, 64, 16, BLayout::RowMajor, DYNAMIC, 16>;
using VecF32_16x64 = Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, DYNAMIC>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 16>, Stride<1, 1, 1, 16, 1>>;
using XTransposedGm = GlobalTensor<float, Shape<1, 1, 1, 16, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void sinkhorn_vec1(
    __gm__ float *x_transposed,
    __gm__ float *x,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i2 = block * 64; i2 < t; i2 += nblk * 64) {
        const int32_t i2_valid = t - i2 < 64 ? t - i2 : 64;
        // e: exp(x - amax(x, axis=-1, keepdim=true))
        VecF32_64x16 part(i2_valid); TASSIGN(part, 0x00000);  // UB 0x00000..0x01000
        XGm x_in(x + int64_t(i2) * 16, {i2_valid});
        TLOAD(part, x_in);
        VecF32_16x64 transposed(i2_valid); TASSIGN(transposed, 0x01000);  // UB 0x01000..0x02000
        VecF32_64x16 transposed_tmp(i2_valid); TASSIGN(transposed_tmp, 0x02000);  // UB 0x02000..0x03000
        TTRANS(transposed, part, transposed_tmp);
        XTransposedGm x_transposed_out(x_transposed + int64_t(i2), {i2_valid}, {int64_t(t)});
        TSTORE(x_transposed_out, transposed);
    }
#endif
}
