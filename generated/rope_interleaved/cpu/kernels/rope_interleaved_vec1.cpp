// rope_interleaved_vec1: vector kernel of `rope_interleaved` for cpu. Made by pyptogen; change the spec, not this file.
// stages rope_interleaved; tiles t 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>>;
using YXGm = GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 64, 1>>;
using YCosGm = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 64, 1>>;
}  // namespace

extern "C" __global__ AICORE void rope_interleaved_vec1(
    __gm__ float *y_x,
    __gm__ float *y_cos,
    __gm__ float *y_sin,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        XGm x_in(x + int64_t(t0) * 1024);
        YXGm y_x_out(y_x + int64_t(t0) * 1024);
        TPASS(16, 64, [&](auto at) {
            // y: rope(x, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_interleaved.yaml:18]
            const auto x_tile = at.load(x_in);
            at.store(y_x_out, x_tile);
        });
        CosGm cos_in(cos + int64_t(t0) * 64);
        CosGm sin_in(sin + int64_t(t0) * 64);
        YCosGm y_cos_out(y_cos + int64_t(t0) * 64);
        YCosGm y_sin_out(y_sin + int64_t(t0) * 64);
        TPASS(1, 64, [&](auto at) {
            const auto cos_tile = at.load(cos_in);
            const auto sin_tile = at.load(sin_in);
            at.store(y_cos_out, cos_tile);
            at.store(y_sin_out, sin_tile);
        });
    }
#endif
}
