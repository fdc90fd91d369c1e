// index_add: vector kernel of `index_add` for cpu. Made by pyptogen; change the spec, not this file.
// stages index_add; tiles i1 4096, i2 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using XGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using SrcGm = GlobalTensor<float, Shape<1, 1, 1, 1, 256>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void index_add(
    __gm__ float *y,
    __gm__ int32_t *index,
    __gm__ float *src,
    __gm__ float *x,
    int32_t rows,
    int32_t added,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i1 = 0; i1 < rows * 256; i1 += 4096) {
        const int32_t i1_valid = rows * 256 - i1 < 4096 ? rows * 256 - i1 : 4096;
        XGm x_in(x + int64_t(i1), {i1_valid});
        XGm y_out(y + int64_t(i1), {i1_valid});
        // y: index_add(x, 0, index, src)
        TCARRY(y_out, x_in);
    }
    for (int32_t i2 = 0; i2 < added; ++i2) {
        const int64_t place = index[int64_t(i2)];
        SrcGm src_in(src + int64_t(i2) * 256);
        SrcGm y_in(y + int64_t(place) * 256);
        SrcGm y_out(y + int64_t(place) * 256);
        TPASS(1, 256, [&](auto at) {
            const auto part_2 = at.load(src_in);
            const auto old = at.load(y_in);
            const auto old_2 = old + part_2;
            at.store(y_out, old_2);
        });
    }
#endif
}
