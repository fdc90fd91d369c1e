// normalise_vec1: vector kernel of `gated_delta_rule` for cpu. Made by pyptogen; change the spec, not this file.
// stages normalise; tiles i2 64, i3 1, i4 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 2048, 1>>;
using QN1Gm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void normalise_vec1(
    __gm__ bfloat16_t *q_n_1,
    __gm__ bfloat16_t *q,
    int32_t b,
    int32_t s,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i3 = block; i3 < b; i3 += nblk) {
        for (int32_t i4 = 0; i4 < 16; ++i4) {
            for (int32_t i2 = 0; i2 < s; i2 += 64) {
                const int32_t i2_valid = s - i2 < 64 ? s - i2 : 64;
                QGm q_in(q + int64_t(i2) * 2048 + int64_t(i3) * s * 2048 + int64_t(i4) * 128, {i2_valid});
                QN1Gm q_n_1_out(q_n_1 + int64_t(i3) * s * 2048 + int64_t(i2) * 128 + int64_t(i4) * s * 128, {i2_valid});
                // q_n: cast(unit(permute(q, [0, 2, 1, 3])) * dk ** -0.5, bf16)  [gated_delta_rule.yaml:45]
                TCARRY(q_n_1_out, q_in);
            }
        }
    }
#endif
}
