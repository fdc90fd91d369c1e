// weight: vector kernel of `grouped_matmul` for cpu. Made by pyptogen; change the spec, not this file.
// stages weight; tiles i1 1, i2 8192; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using WGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 8192>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void weight(
    __gm__ bfloat16_t *w_b,
    __gm__ bfloat16_t *w,
    __gm__ int32_t *group,
    int32_t full,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i1 = block; i1 < full + 16; i1 += nblk) {
        const int64_t place = group[int64_t(i1)];
        PTO_ASSERT(place >= 0 && place < 16, "an index in group is out of range");
        for (int32_t i2 = 0; i2 < 262144; i2 += 8192) {
            WGm w_in(w + int64_t(place) * 262144 + int64_t(i2));
            WGm w_b_out(w_b + int64_t(i1) * 262144 + int64_t(i2));
            // w_b: index_select(w, 0, group)  [grouped_matmul.yaml:38]
            TCARRY(w_b_out, w_in);
        }
    }
#endif
}
