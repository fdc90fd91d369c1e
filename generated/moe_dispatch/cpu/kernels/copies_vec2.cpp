// copies_vec2: vector kernel of `moe_dispatch` for cpu. Made by pyptogen; change the spec, not this file.
// stages copies; tiles rows_rows 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 1024>, Stride<1, 1, 1, 1024, 1>>;

// An index, or the nearest one that names a place. `site`: which of the operator's this is, for PTG408.
AICORE inline int64_t index_inside(int64_t index, int64_t size, [[maybe_unused]] int32_t site)
{
#if defined(PTO_WRONG_INDEX)
    PTO_WRONG_INDEX(index < 0 || index >= size, index, size, site);
#endif
    return index < 0 ? 0 : index < size ? index : size - 1;
}
}  // namespace

extern "C" __global__ AICORE void copies_vec2(
    __gm__ bfloat16_t *rows,
    __gm__ bfloat16_t *x,
    __gm__ int32_t *rows_2,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t) * 16384);  // rows: around the cache if large
    for (int32_t rows_rows0 = block; rows_rows0 < t * 8; rows_rows0 += nblk) {
        const int64_t rows_2_here = index_inside(rows_2[int64_t(rows_rows0)], int64_t(t), 2);
        XGm x_in(x + int64_t(rows_2_here) * 1024);
        XGm rows_out(rows + int64_t(rows_rows0) * 1024);
        // rows: index_select(x, 0, floor_div(reshape(source, [t * k]), k))
        TCARRY(rows_out, x_in, far);
    }
#endif
}
