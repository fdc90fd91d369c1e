// group_vec1: vector kernel of `moe_select_groups` for cpu. Made by pyptogen; change the spec, not this file.
// stages group; tiles best_rows 1; memory UB 1856 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x8_c2 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 2>;
using VecI32_1x448 = Tile<TileType::Vec, int32_t, 1, 448, BLayout::RowMajor, 1, 448>;
using VecF32_1x8_c2 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 2>;
using CGm = GlobalTensor<float, Shape<1, 1, 1, 1, 32>, Stride<1, 1, 1, 32, 1>>;
using BestGm = GlobalTensor<float, Shape<1, 1, 1, 1, 2>, Stride<1, 1, 1, 2, 1>>;
}  // namespace

extern "C" __global__ AICORE void group_vec1(
    __gm__ float *best,
    __gm__ float *c,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t best_rows0 = block; best_rows0 < t * 8; best_rows0 += nblk) {
        // best, best_at: topk(c, 2)
        VecI32_1x8_c2 positions; TASSIGN(positions, 0x00000);  // UB 0x00000..0x00020
        VecI32_1x448 candidates; TASSIGN(candidates, 0x00040);  // UB 0x00040..0x00740
        CGm c_in(c + int64_t(best_rows0) * 32);
        TTOPK(positions, c_in, candidates);
        VecF32_1x8_c2 best_tile; TASSIGN(best_tile, 0x00040);  // UB 0x00040..0x00060
        CGm c_in_2(c + int64_t(best_rows0) * 32);
        MGATHER(best_tile, c_in_2, positions);
        BestGm best_out(best + int64_t(best_rows0) * 2);
        TSTORE(best_out, best_tile);
    }
#endif
}
