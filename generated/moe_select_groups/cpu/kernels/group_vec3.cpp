// group_vec3: vector kernel of `moe_select_groups` for cpu. Made by pyptogen; change the spec, not this file.
// stages group; tiles t 1; memory UB 32 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 8, 1>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 8>;
using BestGm = GlobalTensor<float, Shape<1, 1, 1, 8, 2>, Stride<1, 1, 1, 2, 1>>;
using G1Gm = GlobalTensor<float, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 0, 1>>;
}  // namespace

extern "C" __global__ AICORE void group_vec3(
    __gm__ float *g_1,
    __gm__ float *best,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        VecF32_8x1 g_1_tile; TASSIGN(g_1_tile, 0x00000);  // UB 0x00000..0x00020
        BestGm best_in(best + int64_t(t0) * 16);
        TPASS(8, 2, [&](auto at, auto &g_1_tile_sum) {
            // g, group: topk(sum(best, axis=-1), kept)
            const auto best_tile = at.load(best_in);
            g_1_tile_sum.take(at, best_tile);
        }, RowSum(g_1_tile));
        VecF32_1x8 g_1_tile_row; TASSIGN(g_1_tile_row, 0x00000);  // as a row, same bytes as g_1_tile
        G1Gm g_1_out(g_1 + int64_t(t0) * 8);
        TSTORE(g_1_out, g_1_tile_row);
    }
#endif
}
