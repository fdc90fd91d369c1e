// rank_vec5: vector kernel of `moe_dispatch` for cpu. Made by pyptogen; change the spec, not this file.
// stages rank; tiles t 64; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using Ahead1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 64, 1>>;
using WithinGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 512, 1>>;
}  // namespace

extern "C" __global__ AICORE void rank_vec5(
    __gm__ int32_t *ahead,
    __gm__ int32_t *ahead_1,
    __gm__ int32_t *within,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block * 64; t0 < t_end; t0 += nblk * 64) {
        const int32_t t0_valid = t_end - t0 < 64 ? t_end - t0 : 64;
        Ahead1Gm ahead_1_in(ahead_1 + int64_t(t0) * 64, {t0_valid});
        WithinGm within_in(within + int64_t(t0) * 512 + 448, {t0_valid});
        Ahead1Gm ahead_out(ahead + int64_t(t0) * 64, {t0_valid});
        TPASS(t0_valid, 64, [&](auto at) {
            // ahead:  cumsum(each, axis=0) - each
            const auto ahead_1_tile = at.load(ahead_1_in);
            const auto each = at.load(within_in);
            const auto ahead_tile = ahead_1_tile - each;
            at.store(ahead_out, ahead_tile);
        });
    }
#endif
}
