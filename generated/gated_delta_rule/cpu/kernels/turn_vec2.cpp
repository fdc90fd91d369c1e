// turn_vec2: vector kernel of `gated_delta_rule` for cpu. Made by pyptogen; change the spec, not this file.
// stages turn; tiles i2 64, i3 1, i4 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 4096, 1>>;
using VHGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void turn_vec2(
    __gm__ bfloat16_t *v_h,
    __gm__ bfloat16_t *v,
    int32_t b,
    int32_t s,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i3 = block; i3 < b; i3 += nblk) {
        for (int32_t i4 = 0; i4 < 32; ++i4) {
            for (int32_t i2 = 0; i2 < s; i2 += 64) {
                const int32_t i2_valid = s - i2 < 64 ? s - i2 : 64;
                VGm v_in(v + int64_t(i2) * 4096 + int64_t(i3) * s * 4096 + int64_t(i4) * 128, {i2_valid});
                VHGm v_h_out(v_h + int64_t(i3) * s * 4096 + int64_t(i2) * 128 + int64_t(i4) * s * 128, {i2_valid});
                // v_h: permute(v, [0, 2, 3, 1, 4])  [gated_delta_rule.yaml:48]
                TCARRY(v_h_out, v_in);
            }
        }
    }
#endif
}
