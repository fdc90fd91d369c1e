// causal_conv1d_vec2: vector kernel of `causal_conv1d` for cpu. Made by pyptogen; change the spec, not this file.
// stages causal_conv1d; tiles i2 2730, i3 8192, i4 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using StateGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 3>, Stride<1, 1, 1, 3, 1>>;
using SeenGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 3>, Stride<1, 1, 1, DYNAMIC, 1>>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void causal_conv1d_vec2(
    __gm__ bfloat16_t *seen,
    __gm__ bfloat16_t *state,
    __gm__ bfloat16_t *x,
    int32_t b,
    int32_t s,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i2 = block * 2730; i2 < b * 256; i2 += nblk * 2730) {
        const int32_t i2_valid = b * 256 - i2 < 2730 ? b * 256 - i2 : 2730;
        StateGm state_in(state + int64_t(i2) * 3, {i2_valid});
        SeenGm seen_out(seen + int64_t(i2) * 3 + int64_t(i2) * s, {i2_valid}, {int64_t(s) + 3});
        // seen: concat(state, x, axis=-1)
        TCARRY(seen_out, state_in);
    }
    for (int32_t i4 = block; i4 < b * 256; i4 += nblk) {
        for (int32_t i3 = 0; i3 < s; i3 += 8192) {
            const int32_t i3_valid = s - i3 < 8192 ? s - i3 : 8192;
            XGm x_in(x + int64_t(i3) + int64_t(i4) * s, {i3_valid}, {int64_t(s)});
            XGm seen_out(seen + int64_t(i4) * 3 + int64_t(i3) + int64_t(i4) * s + 3, {i3_valid}, {int64_t(s) + 3});
            TCARRY(seen_out, x_in);
        }
    }
#endif
}
