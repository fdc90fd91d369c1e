// relu: vector kernel of `relu` for cpu. Made by pyptogen; change the spec, not this file.
// stages relu; tiles rows 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 4096, 1>>;
}  // namespace

extern "C" __global__ AICORE void relu(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *x,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(rows_end - rows_begin) * 8192);  // y: around the cache if large
    for (int32_t rows0 = rows_begin + block; rows0 < rows_end; rows0 += nblk) {
        XGm x_in(x + int64_t(rows0) * 4096);
        XGm y_out(y + int64_t(rows0) * 4096);
        TPASS(1, 4096, [&](auto at) {
            // y: cast(relu(cast(x, fp32)), bf16)
            const auto x_tile = at.load(x_in);
            const auto y_2 = at.relu(x_tile);
            at.store(y_out, y_2, far);
        });
    }
#endif
}
