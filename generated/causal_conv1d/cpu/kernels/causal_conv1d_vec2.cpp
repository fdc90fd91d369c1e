// causal_conv1d_vec2: vector kernel of `causal_conv1d` for cpu. Made by pyptogen; change the spec, not this file.
// stages causal_conv1d; tiles s 8192, seen_rows 2730, seen_rows_2 1; memory UB 0 B
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
    for (int32_t seen_rows0 = block * 2730; seen_rows0 < b * 256; seen_rows0 += nblk * 2730) {
        const int32_t seen_rows0_valid = b * 256 - seen_rows0 < 2730 ? b * 256 - seen_rows0 : 2730;
        StateGm state_in(state + int64_t(seen_rows0) * 3, {seen_rows0_valid});
        SeenGm seen_out(seen + int64_t(seen_rows0) * 3 + int64_t(s) * seen_rows0, {seen_rows0_valid}, {int64_t(s) + 3});
        // seen: concat(state, x, axis=-1)
        TCARRY(seen_out, state_in);
    }
    for (int32_t seen_rows_20 = block; seen_rows_20 < b * 256; seen_rows_20 += nblk) {
        for (int32_t s0 = 0; s0 < s; s0 += 8192) {
            const int32_t s0_valid = s - s0 < 8192 ? s - s0 : 8192;
            XGm x_in(x + int64_t(s) * seen_rows_20 + int64_t(s0), {s0_valid}, {int64_t(s)});
            XGm seen_out(seen + int64_t(seen_rows_20) * 3 + int64_t(s) * seen_rows_20 + int64_t(s0) + 3, {s0_valid}, {int64_t(s) + 3});
            TCARRY(seen_out, x_in);
        }
    }
#endif
}
