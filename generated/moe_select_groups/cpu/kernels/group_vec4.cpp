// group_vec4: vector kernel of `moe_select_groups` for cpu. Made by pyptogen; change the spec, not this file.
// stages group; tiles t 1; memory UB 1472 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x8_c4 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 4>;
using VecI32_1x352 = Tile<TileType::Vec, int32_t, 1, 352, BLayout::RowMajor, 1, 352>;
using G1Gm = GlobalTensor<float, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 8, 1>>;
using GroupGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 4>, Stride<1, 1, 1, 4, 1>>;
}  // namespace

extern "C" __global__ AICORE void group_vec4(
    __gm__ int32_t *group,
    __gm__ float *g_1,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = block; t0 < t; t0 += nblk) {
        // g, group: topk(sum(best, axis=-1), kept)
        VecI32_1x8_c4 positions; TASSIGN(positions, 0x00000);  // UB 0x00000..0x00020
        VecI32_1x352 candidates; TASSIGN(candidates, 0x00040);  // UB 0x00040..0x005c0
        G1Gm g_1_in(g_1 + int64_t(t0) * 8);
        TTOPK(positions, g_1_in, candidates);
        GroupGm group_out(group + int64_t(t0) * 4);
        TSTORE(group_out, positions);
    }
#endif
}
