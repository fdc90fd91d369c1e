// sinkhorn_vec8: vector kernel of `sinkhorn` for cpu. Made by pyptogen; change the spec, not this file.
// stages sinkhorn; tiles i1 1; memory UB 160 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_4x8_c4 = Tile<TileType::Vec, float, 4, 8, BLayout::RowMajor, 4, 4>;
using VecF32_1x8_c4 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 4>;
using YRGm = GlobalTensor<float, Shape<1, 1, 1, 4, 4>, Stride<1, 1, 1, 4, 1>>;
using Y1Gm = GlobalTensor<float, Shape<1, 1, 1, 1, 4>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void sinkhorn_vec8(
    __gm__ float *y_1,
    __gm__ float *y_r,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i1 = block; i1 < t; i1 += nblk) {
        // return: r / sum(r, axis=-2, keepdim=true)  [sinkhorn.yaml:17]
        VecF32_4x8_c4 part; TASSIGN(part, 0x00000);  // UB 0x00000..0x00080
        YRGm y_r_in(y_r + int64_t(i1) * 16);
        TLOAD(part, y_r_in);
        VecF32_1x8_c4 found; TASSIGN(found, 0x00080);  // UB 0x00080..0x000a0
        TCOLSUM(found, part);
        Y1Gm y_1_out(y_1 + int64_t(i1) * 4);
        TPASS(1, 4, [&](auto at) {
            const auto total = at.all(0.0f);
            const auto found_v = at.load(found);
            const auto total_2 = total + found_v;
            at.store(y_1_out, total_2);
        });
    }
#endif
}
