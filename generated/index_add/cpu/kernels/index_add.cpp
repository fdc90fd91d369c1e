// index_add: vector kernel of `index_add` for cpu. Made by pyptogen; change the spec, not this file.
// stages index_add; tiles added 1, y_columns 4096; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using XGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using SrcGm = GlobalTensor<float, Shape<1, 1, 1, 1, 256>, Stride<1, 1, 1, 256, 1>>;
}  // namespace

extern "C" __global__ AICORE void index_add(
    __gm__ float *y,
    __gm__ float *x,
    __gm__ int32_t *index,
    __gm__ float *src,
    int32_t rows,
    int32_t added,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t y_columns0 = 0; y_columns0 < rows * 256; y_columns0 += 4096) {
        const int32_t y_columns0_valid = rows * 256 - y_columns0 < 4096 ? rows * 256 - y_columns0 : 4096;
        XGm x_in(x + int64_t(y_columns0), {y_columns0_valid});
        XGm y_out(y + int64_t(y_columns0), {y_columns0_valid});
        // y: index_add(x, 0, index, src)
        TCARRY(y_out, x_in);
    }
    for (int32_t added0 = 0; added0 < added; ++added0) {
        const int64_t index_here = index[int64_t(added0)];
        SrcGm src_in(src + int64_t(added0) * 256);
        SrcGm y_in(y + int64_t(index_here) * 256);
        SrcGm y_out(y + int64_t(index_here) * 256);
        TPASS(1, 256, [&](auto at) {
            const auto src_tile = at.load(src_in);
            const auto old = at.load(y_in);
            const auto old_2 = old + src_tile;
            at.store(y_out, old_2);
        });
    }
#endif
}
