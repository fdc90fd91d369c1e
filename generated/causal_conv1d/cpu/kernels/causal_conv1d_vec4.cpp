// causal_conv1d_vec4: vector kernel of `causal_conv1d` for cpu. Made by pyptogen; change the spec, not this file.
// stages causal_conv1d; tiles state_copy_rows 2730; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using SeenGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 3>, Stride<1, 1, 1, DYNAMIC, 1>>;
using StateGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 3>, Stride<1, 1, 1, 3, 1>>;
}  // namespace

extern "C" __global__ AICORE void causal_conv1d_vec4(
    __gm__ bfloat16_t *state,
    __gm__ bfloat16_t *seen,
    int32_t b,
    int32_t s,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(b) * 1536);  // state: around the cache if large
    for (int32_t state_copy_rows0 = block * 2730; state_copy_rows0 < b * 256; state_copy_rows0 += nblk * 2730) {
        const int32_t state_copy_rows0_valid = b * 256 - state_copy_rows0 < 2730 ? b * 256 - state_copy_rows0 : 2730;
        SeenGm seen_in(seen + int64_t(state_copy_rows0) * 3 + int64_t(s) + int64_t(s) * state_copy_rows0, {state_copy_rows0_valid}, {int64_t(s) + 3});
        StateGm state_out(state + int64_t(state_copy_rows0) * 3, {state_copy_rows0_valid});
        // state: seen[:, :, s:]
        TCARRY(state_out, seen_in, far);
    }
#endif
}
