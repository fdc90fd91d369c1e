// sinkhorn_vec1: vector kernel of `sinkhorn` for cpu. Made by pyptogen; change the spec, not this file.
// stages sinkhorn; tiles t 64; memory UB 12288 B
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
    for (int32_t t0 = block * 64; t0 < t; t0 += nblk * 64) {
        const int32_t t0_valid = t - t0 < 64 ? t - t0 : 64;
        // e: exp(x - amax(x, axis=-1, keepdim=true))
        VecF32_64x16 x_tile_across(t0_valid); TASSIGN(x_tile_across, 0x00000);  // UB 0x00000..0x01000
        XGm x_in(x + int64_t(t0) * 16, {t0_valid});
        TLOAD(x_tile_across, x_in);
        VecF32_16x64 x_tile(t0_valid); TASSIGN(x_tile, 0x01000);  // UB 0x01000..0x02000
        VecF32_64x16 x_tile_tmp(t0_valid); TASSIGN(x_tile_tmp, 0x02000);  // UB 0x02000..0x03000
        TTRANS(x_tile, x_tile_across, x_tile_tmp);
        XTransposedGm x_transposed_out(x_transposed + int64_t(t0), {t0_valid}, {int64_t(t)});
        TSTORE(x_transposed_out, x_tile);
    }
#endif
}
