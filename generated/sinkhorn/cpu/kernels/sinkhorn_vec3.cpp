// sinkhorn_vec3: vector kernel of `sinkhorn` for cpu. Made by pyptogen; change the spec, not this file.
// stages sinkhorn; tiles t 1; memory UB 224 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x8_c4_r1 = Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 1, 4>;
using VecF32_8x8_c4_r4 = Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 4, 4>;
using VecF32_8x1_r4 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 4, 1>;
using First1Gm = GlobalTensor<float, Shape<1, 1, 1, 1, 4>, Stride<1, 1, 1, 4, 1>>;
using FirstRGm = GlobalTensor<float, Shape<1, 1, 1, 4, 4>, Stride<1, 1, 1, 4, 1>>;
}  // namespace

extern "C" __global__ AICORE void sinkhorn_vec3(
    __gm__ float *second_r,
    __gm__ float *first_r,
    __gm__ float *first_1,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        // return: r / sum(r, axis=-2, keepdim=true)  [sinkhorn.yaml:17]
        VecF32_8x8_c4_r1 first_1_tile; TASSIGN(first_1_tile, 0x00000);  // UB 0x00000..0x00020
        First1Gm first_1_in(first_1 + int64_t(t0) * 4);
        TLOAD(first_1_tile, first_1_in);
        VecF32_8x8_c4_r4 first; TASSIGN(first, 0x00040);  // UB 0x00040..0x000c0
        VecF32_8x1_r4 second_r_1; TASSIGN(second_r_1, 0x000c0);  // UB 0x000c0..0x000e0
        FirstRGm first_r_in(first_r + int64_t(t0) * 16);
        TPASS(4, 4, [&](auto at, auto &second_r_1_sum) {
            const auto first_r_tile = at.load(first_r_in);
            const auto first_v = first_r_tile / at.row(first_1_tile);
            at.store(first, first_v);
            // r: m / sum(m, axis=-1, keepdim=true)  [sinkhorn.yaml:16]
            second_r_1_sum.take(at, first_v);
        }, RowSum(second_r_1));
        FirstRGm second_r_out(second_r + int64_t(t0) * 16);
        TPASS(4, 4, [&](auto at, auto &second_r_1_divisor) {
            const auto first_v = at.load(first);
            const auto second_r_tile = first_v / second_r_1_divisor;
            at.store(second_r_out, second_r_tile);
        }, Divisor(second_r_1));
    }
#endif
}
