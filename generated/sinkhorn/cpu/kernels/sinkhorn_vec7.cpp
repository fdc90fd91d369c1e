// sinkhorn_vec7: vector kernel of `sinkhorn` for cpu. Made by pyptogen; change the spec, not this file.
// stages sinkhorn; tiles t 1; memory UB 224 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x8_c4_r1 = Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 1, 4>;
using VecF32_8x8_c4_r4 = Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 4, 4>;
using VecF32_8x1_r4 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 4, 1>;
using Third1Gm = GlobalTensor<float, Shape<1, 1, 1, 1, 4>, Stride<1, 1, 1, 4, 1>>;
using ThirdRGm = GlobalTensor<float, Shape<1, 1, 1, 4, 4>, Stride<1, 1, 1, 4, 1>>;
}  // namespace

extern "C" __global__ AICORE void sinkhorn_vec7(
    __gm__ float *y_r,
    __gm__ float *third_r,
    __gm__ float *third_1,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        // return: r / sum(r, axis=-2, keepdim=true)  [sinkhorn.yaml:17]
        VecF32_8x8_c4_r1 third_1_tile; TASSIGN(third_1_tile, 0x00000);  // UB 0x00000..0x00020
        Third1Gm third_1_in(third_1 + int64_t(t0) * 4);
        TLOAD(third_1_tile, third_1_in);
        VecF32_8x8_c4_r4 third; TASSIGN(third, 0x00040);  // UB 0x00040..0x000c0
        VecF32_8x1_r4 y_r_1; TASSIGN(y_r_1, 0x000c0);  // UB 0x000c0..0x000e0
        ThirdRGm third_r_in(third_r + int64_t(t0) * 16);
        TPASS(4, 4, [&](auto at, auto &y_r_1_sum) {
            const auto third_r_tile = at.load(third_r_in);
            const auto third_v = third_r_tile / at.row(third_1_tile);
            at.store(third, third_v);
            // r: m / sum(m, axis=-1, keepdim=true)  [sinkhorn.yaml:16]
            y_r_1_sum.take(at, third_v);
        }, RowSum(y_r_1));
        ThirdRGm y_r_out(y_r + int64_t(t0) * 16);
        TPASS(4, 4, [&](auto at, auto &y_r_1_divisor) {
            const auto third_v = at.load(third);
            const auto y_r_tile = third_v / y_r_1_divisor;
            at.store(y_r_out, y_r_tile);
        }, Divisor(y_r_1));
    }
#endif
}
