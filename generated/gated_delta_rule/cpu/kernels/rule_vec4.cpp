// rule_vec4: vector kernel of `gated_delta_rule` for cpu. Made by pyptogen; change the spec, not this file.
// stages rule; tiles b 1, s 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using OReadBlockGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 32, 128>, Stride<1, 1, 1, DYNAMIC, 1>>;
using OGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 32, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void rule_vec4(
    __gm__ bfloat16_t *o,
    __gm__ bfloat16_t *o_read_block,
    int32_t b,
    int32_t s,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(b) * s * 8192);  // o: around the cache if large
    for (int32_t b0 = 0; b0 < b; ++b0) {
        for (int32_t s0 = block; s0 < s; s0 += nblk) {
            OReadBlockGm o_read_block_in(o_read_block + int64_t(b0) * s * 4096 + int64_t(s0) * 128, {}, {int64_t(s) * 128});
            OGm o_out(o + int64_t(b0) * s * 4096 + int64_t(s0) * 4096);
            // o, state_end: gated_delta_rule(q_n, k_n, v, g, beta, state_t, scale=1)
            TCARRY(o_out, o_read_block_in, far);
        }
    }
#endif
}
