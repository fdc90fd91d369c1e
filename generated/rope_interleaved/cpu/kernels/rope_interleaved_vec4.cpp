// rope_interleaved_vec4: vector kernel of `rope_interleaved` for cpu. Made by pyptogen; change the spec, not this file.
// stages rope_interleaved; tiles t 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using YRopedGm = GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>>;
}  // namespace

extern "C" __global__ AICORE void rope_interleaved_vec4(
    __gm__ bfloat16_t *y,
    __gm__ float *y_roped,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 2048);  // y: around the cache if large
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        YRopedGm y_roped_in(y_roped + int64_t(t0) * 1024);
        YGm y_out(y + int64_t(t0) * 1024);
        TPASS(16, 64, [&](auto at) {
            // y: rope(x, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_interleaved.yaml:18]
            const auto y_roped_tile = at.load(y_roped_in);
            at.store(y_out, y_roped_tile, far);
        });
    }
#endif
}
