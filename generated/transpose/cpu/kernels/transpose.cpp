// transpose: vector kernel of `transpose` for cpu. Made by pyptogen; change the spec, not this file.
// stages transpose; tiles batch 1, m 64, n 64; memory UB 49152 B
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
    for (int32_t batch0 = block; batch0 < batch; batch0 += nblk) {
        for (int32_t n0 = 0; n0 < 200; n0 += 64) {
            const int32_t n0_valid = 200 - n0 < 64 ? 200 - n0 : 64;
            for (int32_t m0 = 0; m0 < m; m0 += 64) {
                const int32_t m0_valid = m - m0 < 64 ? m - m0 : 64;
                // y: transpose(x, 1, 2)
                VecF32_64x64 x_tile_across(m0_valid, n0_valid); TASSIGN(x_tile_across, 0x00000);  // UB 0x00000..0x04000
                XGm x_in(x + int64_t(batch0) * m * 200 + int64_t(m0) * 200 + int64_t(n0), {m0_valid, n0_valid});
                TLOAD(x_tile_across, x_in);
                VecF32_64x64 x_tile(n0_valid, m0_valid); TASSIGN(x_tile, 0x04000);  // UB 0x04000..0x08000
                VecF32_64x64 x_tile_tmp(m0_valid, n0_valid); TASSIGN(x_tile_tmp, 0x08000);  // UB 0x08000..0x0c000
                TTRANS(x_tile, x_tile_across, x_tile_tmp);
                YGm y_out(y + int64_t(batch0) * m * 200 + int64_t(m) * n0 + int64_t(m0), {n0_valid, m0_valid}, {int64_t(m)});
                TSTORE(y_out, x_tile);
            }
        }
    }
#endif
}
