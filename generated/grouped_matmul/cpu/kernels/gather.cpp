// gather: vector kernel of `grouped_matmul` for cpu. Made by pyptogen; change the spec, not this file.
// stages gather; tiles rows_2_rows 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 512>, Stride<1, 1, 1, 512, 1>>;

// An index, or the nearest one that names a place. `site`: which of the operator's this is, for PTG408.
AICORE inline int64_t index_inside(int64_t index, int64_t size, [[maybe_unused]] int32_t site)
{
#if defined(PTO_WRONG_INDEX)
    PTO_WRONG_INDEX(index < 0 || index >= size, index, size, site);
#endif
    return index < 0 ? 0 : index < size ? index : size - 1;
}
}  // namespace

extern "C" __global__ AICORE void gather(
    __gm__ bfloat16_t *rows,
    __gm__ bfloat16_t *x,
    __gm__ int32_t *source,
    int32_t full,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t rows_2_rows0 = block; rows_2_rows0 < full * 32 + 512; rows_2_rows0 += nblk) {
        const int64_t source_here = index_inside(source[int64_t(rows_2_rows0)], int64_t(full) * 32, 2);
        XGm x_in(x + int64_t(source_here) * 512);
        XGm rows_out(rows + int64_t(rows_2_rows0) * 512);
        // rows: reshape(index_select(x, 0, reshape(source, [blocks * r])), [blocks, r, k])
        TCARRY(rows_out, x_in);
    }
#endif
}
