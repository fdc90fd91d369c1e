// rank_vec3: vector kernel of `moe_dispatch` for cpu. Made by pyptogen; change the spec, not this file.
// stages rank; tiles i1 1; memory UB 2560 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecI32_8x64 = Tile<TileType::Vec, int32_t, 8, 64, BLayout::RowMajor, 8, 64>;
using ChosenGm = GlobalTensor<int32_t, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, 64, 1>>;
using EachGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void rank_vec3(
    __gm__ int32_t *each,
    __gm__ int32_t *chosen,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i1 = block; i1 < t; i1 += nblk) {
        // each:   sum(chosen, axis=1)
        VecI32_1x64 total; TASSIGN(total, 0x00000);  // UB 0x00000..0x00100
        TEXPANDS(total, 0);
        VecI32_8x64 part; TASSIGN(part, 0x00100);  // UB 0x00100..0x00900
        ChosenGm chosen_in(chosen + int64_t(i1) * 512);
        TLOAD(part, chosen_in);
        VecI32_1x64 found; TASSIGN(found, 0x00900);  // UB 0x00900..0x00a00
        TCOLSUM(found, part);
        EachGm each_out(each + int64_t(i1) * 64);
        TPASS(1, 64, [&](auto at) {
            const auto total_v = at.load(total);
            const auto found_v = at.load(found);
            const auto total_v_2 = total_v + found_v;
            at.store(total, total_v_2);
            at.store(each_out, total_v_2);
        });
    }
#endif
}
