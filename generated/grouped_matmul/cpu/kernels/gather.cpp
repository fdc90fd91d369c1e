// gather: vector kernel of `grouped_matmul` for cpu. Made by pyptogen; change the spec, not this file.
// stages gather; tiles i1 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 512>, Stride<1, 1, 1, 1, 1>>;
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
    for (int32_t i1 = block; i1 < full * 32 + 512; i1 += nblk) {
        const int64_t place = source[int64_t(i1)];
        PTO_ASSERT(place >= 0 && place < int64_t(full) * 32, "an index in source is out of range");
        XGm x_in(x + int64_t(place) * 512);
        XGm rows_out(rows + int64_t(i1) * 512);
        // rows: reshape(index_select(x, 0, reshape(source, [blocks * r])), [blocks, r, k])  [grouped_matmul.yaml:36]
        TCARRY(rows_out, x_in);
    }
#endif
}
