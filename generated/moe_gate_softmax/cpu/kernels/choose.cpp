// choose: vector kernel of `moe_gate_softmax` for cpu. Made by pyptogen; change the spec, not this file.
// stages choose; tiles t 1; memory UB 5440 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x16_c10 = Tile<TileType::Vec, int32_t, 1, 16, BLayout::RowMajor, 1, 10>;
using VecI32_1x1344 = Tile<TileType::Vec, int32_t, 1, 1344, BLayout::RowMajor, 1, 1344>;
using VecF32_1x16_c10 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 10>;
using LGm = GlobalTensor<float, Shape<1, 1, 1, 1, 512>, Stride<1, 1, 1, 512, 1>>;
using TopGm = GlobalTensor<float, Shape<1, 1, 1, 1, 10>, Stride<1, 1, 1, 10, 1>>;
using ExpertGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 10>, Stride<1, 1, 1, 10, 1>>;
}  // namespace

extern "C" __global__ AICORE void choose(
    __gm__ float *top,
    __gm__ int32_t *expert,
    __gm__ float *l,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t) * 40);  // expert: around the cache if large
    for (int32_t t0 = block; t0 < t; t0 += nblk) {
        // top, expert: topk(l, k)
        VecI32_1x16_c10 positions; TASSIGN(positions, 0x00000);  // UB 0x00000..0x00040
        VecI32_1x1344 candidates; TASSIGN(candidates, 0x00040);  // UB 0x00040..0x01540
        LGm l_in(l + int64_t(t0) * 512);
        TTOPK(positions, l_in, candidates);
        VecF32_1x16_c10 top_tile; TASSIGN(top_tile, 0x00040);  // UB 0x00040..0x00080
        LGm l_in_2(l + int64_t(t0) * 512);
        MGATHER(top_tile, l_in_2, positions);
        TopGm top_out(top + int64_t(t0) * 10);
        ExpertGm expert_out(expert + int64_t(t0) * 10);
        TPASS(1, 10, [&](auto at) {
            const auto top_tile_v = at.load(top_tile);
            at.store(top_out, top_tile_v);
            const auto positions_v = at.load(positions);
            at.store(expert_out, positions_v, far);
        });
    }
#endif
}
