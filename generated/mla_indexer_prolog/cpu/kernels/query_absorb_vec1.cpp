// query_absorb_vec1: vector kernel of `mla_indexer_prolog` for cpu. Made by pyptogen; change the spec, not this file.
// stages query_absorb; tiles i2 64, i3 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using QB4Gm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 6144, 1>>;
using QHGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void query_absorb_vec1(
    __gm__ bfloat16_t *q_h,
    __gm__ bfloat16_t *q_b_4,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i3 = 0; i3 < 32; ++i3) {
        for (int32_t i2 = block * 64; i2 < t; i2 += nblk * 64) {
            const int32_t i2_valid = t - i2 < 64 ? t - i2 : 64;
            QB4Gm q_b_4_in(q_b_4 + int64_t(i2) * 6144 + int64_t(i3) * 192, {i2_valid});
            QHGm q_h_out(q_h + int64_t(i2) * 128 + int64_t(i3) * t * 128, {i2_valid});
            TPASS(i2_valid, 128, [&](auto at) {
                // q_h: permute(q_b[:, :, :nope], [1, 0, 2])  [mla_indexer_prolog.yaml:75]
                const auto part = at.load(q_b_4_in);
                at.store(q_h_out, part);
            });
        }
    }
#endif
}
