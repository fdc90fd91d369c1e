// silu: vector kernel of `silu` for cpu. Made by pyptogen; change the spec, not this file.
// stages silu; tiles rows 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 4096, 1>>;
}  // namespace

extern "C" __global__ AICORE void silu(
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
        TPASS<4>(1, 4096, [&](auto at) {
            // y: silu(x)
            const auto x_tile = at.load(x_in);
            const auto y_neg = -x_tile;
            const auto y_e = at.exp(y_neg);
            const auto y_one_e = y_e + 1.0f;
            const auto y_1 = x_tile / y_one_e;
            at.store(y_out, y_1, far);
        });
    }
#endif
}
