// query_absorb_vec2: vector kernel of `mla_indexer_prolog` for cpu. Made by pyptogen; change the spec, not this file.
// stages query_absorb; tiles i2 16, i3 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using QNope1Gm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 512>, Stride<1, 1, 1, DYNAMIC, 1>>;
using QNopeGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 512>, Stride<1, 1, 1, 512, 1>>;
}  // namespace

extern "C" __global__ AICORE void query_absorb_vec2(
    __gm__ bfloat16_t *q_nope,
    __gm__ bfloat16_t *q_nope_1,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t) * 32768);  // q_nope: around the cache if large
    for (int32_t i3 = block; i3 < t; i3 += nblk) {
        for (int32_t i2 = 0; i2 < 32; i2 += 16) {
            QNope1Gm q_nope_1_in(q_nope_1 + int64_t(i2) * t * 512 + int64_t(i3) * 512, {}, {int64_t(t) * 512});
            QNopeGm q_nope_out(q_nope + int64_t(i3) * 16384 + int64_t(i2) * 512);
            TPASS(16, 512, [&](auto at) {
                // q_nope: permute(matmul(q_h, w_uk, dtype=bf16), [1, 0, 2])  [mla_indexer_prolog.yaml:76]
                const auto part = at.load(q_nope_1_in);
                at.store(q_nope_out, part, far);
            });
        }
    }
#endif
}
