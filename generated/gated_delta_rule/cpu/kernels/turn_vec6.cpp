// turn_vec6: vector kernel of `gated_delta_rule` for cpu. Made by pyptogen; change the spec, not this file.
// stages turn; tiles s 64; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using NumberGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using PlaceGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void turn_vec6(
    __gm__ float *place,
    __gm__ int32_t *number,
    int32_t s,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t s0 = block * 64; s0 < s; s0 += nblk * 64) {
        const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
        NumberGm number_in(number + int64_t(s0), {s0_valid});
        PlaceGm place_out(place + int64_t(s0), {s0_valid});
        TPASS(1, s0_valid, [&](auto at) {
            // place: cast(number, fp32)  [gated_delta_rule.yaml:53]
            const auto number_tile = at.load(number_in);
            const auto place_tile = at.to_float(number_tile);
            at.store(place_out, place_tile);
        });
    }
#endif
}
