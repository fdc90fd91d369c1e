// rank_vec3: vector kernel of `moe_dispatch` for cpu. Made by pyptogen; change the spec, not this file.
// stages rank; tiles i2 1, i3 1; memory UB 256 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using ChosenGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void rank_vec3(
    __gm__ int32_t *within,
    __gm__ int32_t *chosen,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i2 = block; i2 < t; i2 += nblk) {
        // within: cumsum(chosen, axis=1)
        VecI32_1x64 total; TASSIGN(total, 0x00000);  // UB 0x00000..0x00100
        TEXPANDS(total, 0);
        for (int32_t i3 = 0; i3 < 8; ++i3) {
            ChosenGm chosen_in(chosen + int64_t(i2) * 512 + int64_t(i3) * 64);
            ChosenGm within_out(within + int64_t(i2) * 512 + int64_t(i3) * 64);
            TPASS(1, 64, [&](auto at) {
                const auto part = at.load(chosen_in);
                const auto total_v = at.load(total);
                const auto total_v_2 = total_v + part;
                at.store(total, total_v_2);
                at.store(within_out, total_v_2);
            });
        }
    }
#endif
}
