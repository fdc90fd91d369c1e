// visible_vec1: vector kernel of `paged_attention` for cpu. Made by pyptogen; change the spec, not this file.
// stages visible; tiles batch 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LengthsGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;
using Ahead1Gm = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void visible_vec1(
    __gm__ float *ahead_1,
    __gm__ int32_t *lengths,
    int32_t batch_begin,
    int32_t batch_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t batch0 = batch_begin + block; batch0 < batch_end; batch0 += nblk) {
        LengthsGm lengths_in(lengths + int64_t(batch0));
        Ahead1Gm ahead_1_out(ahead_1 + int64_t(batch0));
        TPASS(1, 1, [&](auto at) {
            // ahead: cast(lengths, fp32)[:, None] - place[None, :]
            const auto lengths_tile = at.load(lengths_in);
            const auto ahead_1_tile = at.to_float(lengths_tile);
            at.store(ahead_1_out, ahead_1_tile);
        });
    }
#endif
}
