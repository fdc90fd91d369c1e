// sinkhorn_vec1: vector kernel of `sinkhorn` for cpu. Made by pyptogen; change the spec, not this file.
// stages sinkhorn; tiles t 1; memory UB 224 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x8_c4_r4 = Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 4, 4>;
using VecF32_8x1_r4 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 4, 1>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, 4, 4>, Stride<1, 1, 1, 4, 1>>;
}  // namespace

extern "C" __global__ AICORE void sinkhorn_vec1(
    __gm__ float *first_r,
    __gm__ float *x,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        VecF32_8x8_c4_r4 x_tile; TASSIGN(x_tile, 0x00040);  // UB 0x00040..0x000c0
        VecF32_8x1_r4 e_1; TASSIGN(e_1, 0x00000);  // UB 0x00000..0x00020
        XGm x_in(x + int64_t(t0) * 16);
        TPASS(4, 4, [&](auto at, auto &e_1_max) {
            // e: exp(x - amax(x, axis=-1, keepdim=true))  [sinkhorn.yaml:20]
            const auto x_tile_v = at.load(x_in);
            at.store(x_tile, x_tile_v);
            e_1_max.take(at, x_tile_v);
        }, RowMax(e_1));
        VecF32_8x8_c4_r4 e; TASSIGN(e, 0x00040);  // UB 0x00040..0x000c0
        VecF32_8x1_r4 first_r_1; TASSIGN(first_r_1, 0x000c0);  // UB 0x000c0..0x000e0
        TPASS(4, 4, [&](auto at, auto &first_r_1_sum) {
            const auto x_tile_v = at.load(x_tile);
            const auto e_2 = x_tile_v - at.column(e_1);
            const auto e_v = at.exp(e_2);
            at.store(e, e_v);
            // r: m / sum(m, axis=-1, keepdim=true)  [sinkhorn.yaml:16]
            first_r_1_sum.take(at, e_v);
        }, RowSum(first_r_1));
        XGm first_r_out(first_r + int64_t(t0) * 16);
        TPASS(4, 4, [&](auto at, auto &first_r_1_divisor) {
            const auto e_v = at.load(e);
            const auto first_r_tile = e_v / first_r_1_divisor;
            at.store(first_r_out, first_r_tile);
        }, Divisor(first_r_1));
    }
#endif
}
