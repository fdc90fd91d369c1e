// group_vec6: vector kernel of `moe_select_groups` for cpu. Made by pyptogen; change the spec, not this file.
// stages group; tiles i1 1; memory UB 32 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 8>;
using Open4Gm = GlobalTensor<float, Shape<1, 1, 1, 4, 8>, Stride<1, 1, 1, 8, 1>>;
using OpenGm = GlobalTensor<float, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void group_vec6(
    __gm__ float *open,
    __gm__ float *open_4,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i1 = block; i1 < t; i1 += nblk) {
        VecF32_1x8 found; TASSIGN(found, 0x00000);  // UB 0x00000..0x00020
        Open4Gm open_4_in(open_4 + int64_t(i1) * 32);
        TPASS(4, 8, [&](auto at, auto &found_sum) {
            // open: sum(cast(one_hot(group, groups), fp32), axis=1)
            const auto part = at.load(open_4_in);
            found_sum.take(at, part);
        }, ColSum(found));
        OpenGm open_out(open + int64_t(i1) * 8);
        TPASS(1, 8, [&](auto at) {
            const auto total = at.all(0.0f);
            const auto found_v = at.load(found);
            const auto total_2 = total + found_v;
            at.store(open_out, total_2);
        });
    }
#endif
}
