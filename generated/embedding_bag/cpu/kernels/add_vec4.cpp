// add_vec4: vector kernel of `embedding_bag` for cpu. Made by pyptogen; change the spec, not this file.
// stages add; tiles t 64; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using Y1Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void add_vec4(
    __gm__ bfloat16_t *y,
    __gm__ float *y_1,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 256);  // y: around the cache if large
    for (int32_t t0 = t_begin + block * 64; t0 < t_end; t0 += nblk * 64) {
        const int32_t t0_valid = t_end - t0 < 64 ? t_end - t0 : 64;
        Y1Gm y_1_in(y_1 + int64_t(t0) * 128, {t0_valid});
        YGm y_out(y + int64_t(t0) * 128, {t0_valid});
        TPASS(t0_valid, 128, [&](auto at) {
            // y: cast(sum(each, axis=1), bf16)  [embedding_bag.yaml:23]
            const auto y_1_tile = at.load(y_1_in);
            at.store(y_out, y_1_tile, far);
        });
    }
#endif
}
