// rank_vec4: vector kernel of `moe_dispatch` for cpu. Made by pyptogen; change the spec, not this file.
// stages rank; tiles i2 1, once 1; memory UB 256 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using WithinGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void rank_vec4(
    __gm__ int32_t *ahead_1,
    __gm__ int32_t *within,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t once = block; once < 1; once += nblk) {
        // ahead:  cumsum(each, axis=0) - each
        VecI32_1x64 total; TASSIGN(total, 0x00000);  // UB 0x00000..0x00100
        TEXPANDS(total, 0);
        for (int32_t i2 = 0; i2 < t; ++i2) {
            WithinGm within_in(within + int64_t(i2) * 512 + 448);
            WithinGm ahead_1_out(ahead_1 + int64_t(i2) * 64);
            TPASS(1, 64, [&](auto at) {
                const auto part = at.load(within_in);
                const auto total_v = at.load(total);
                const auto total_v_2 = total_v + part;
                at.store(total, total_v_2);
                at.store(ahead_1_out, total_v_2);
            });
        }
    }
#endif
}
