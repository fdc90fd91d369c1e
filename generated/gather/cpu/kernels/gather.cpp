// gather: vector kernel of `gather` for cpu. Made by pyptogen; change the spec, not this file.
// stages gather; tiles i1 1, i2 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using XGm = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void gather(
    __gm__ float *y,
    __gm__ float *x,
    __gm__ int32_t *index,
    int32_t rows,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(rows) * 512);  // y: around the cache if large
    for (int32_t i1 = block; i1 < rows; i1 += nblk) {
        for (int32_t i2 = 0; i2 < 128; ++i2) {
            const int64_t place = index[int64_t(i1) * 128 + int64_t(i2)];
            XGm x_in(x + int64_t(i1) * 1024 + int64_t(place));
            XGm y_out(y + int64_t(i1) * 128 + int64_t(i2));
            TPASS(1, 1, [&](auto at) {
                // y: gather(x, 1, index)  [gather.yaml:17]
                const auto part = at.load(x_in);
                at.store(y_out, part, far);
            });
        }
    }
#endif
}
