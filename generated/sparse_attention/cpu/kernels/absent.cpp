// absent: vector kernel of `sparse_attention` for cpu. Made by pyptogen; change the spec, not this file.
// stages absent; tiles selected 128, t 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using IndexGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 2048, 1>>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 2048, 1>>;
}  // namespace

extern "C" __global__ AICORE void absent(
    __gm__ float *bias,
    __gm__ int32_t *index,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin; t0 < t_end; ++t0) {
        for (int32_t selected0 = block * 128; selected0 < 2048; selected0 += nblk * 128) {
            IndexGm index_in(index + int64_t(t0) * 2048 + int64_t(selected0));
            BiasGm bias_out(bias + int64_t(t0) * 2048 + int64_t(selected0));
            TPASS(1, 128, [&](auto at) {
                // bias: reshape(minimum(cast(index, fp32) + 0.5, 0) * 2.0e30, [t, 1, selected])
                const auto index_tile = at.load(index_in);
                const auto bias_1 = at.to_float(index_tile);
                const auto bias_2 = bias_1 + 0.5f;
                const auto bias_3 = at.min(bias_2, 0.0f);
                const auto bias_4 = bias_3 * 2e+30f;
                at.store(bias_out, bias_4);
            });
        }
    }
#endif
}
