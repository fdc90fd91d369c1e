// rank_vec4: vector kernel of `moe_dispatch` for cpu. Made by pyptogen; change the spec, not this file.
// stages rank; tiles t 1; memory UB 256 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using WithinGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 512, 1>>;
using AheadGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 64, 1>>;
}  // namespace

extern "C" __global__ AICORE void rank_vec4(
    __gm__ int32_t *ahead,
    __gm__ int32_t *within,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // ahead:  cumsum(each, axis=0) - each
    VecI32_1x64 ahead_1; TASSIGN(ahead_1, 0x00000);  // UB 0x00000..0x00100
    TEXPANDS(ahead_1, 0);
    for (int32_t t0 = 0; t0 < t; ++t0) {
        WithinGm within_in(within + int64_t(t0) * 512 + 448);
        AheadGm ahead_out(ahead + int64_t(t0) * 64);
        TPASS(1, 64, [&](auto at) {
            const auto each = at.load(within_in);
            const auto ahead_1_v = at.load(ahead_1);
            const auto ahead_1_v_2 = ahead_1_v + each;
            at.store(ahead_1, ahead_1_v_2);
            const auto ahead_tile = ahead_1_v_2 - each;
            at.store(ahead_out, ahead_tile);
        });
    }
#endif
}
