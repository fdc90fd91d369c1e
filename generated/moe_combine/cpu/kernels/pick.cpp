// pick: vector kernel of `moe_combine` for cpu. Made by pyptogen; change the spec, not this file.
// stages pick; tiles i1 1, i2 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using RowsGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 1024>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void pick(
    __gm__ bfloat16_t *picked,
    __gm__ bfloat16_t *rows,
    __gm__ int32_t *place,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i1 = 0; i1 < 8; ++i1) {
        for (int32_t i2 = block; i2 < t; i2 += nblk) {
            const int64_t place_2 = place[int64_t(i2) * 8 + int64_t(i1)];
            RowsGm rows_in(rows + int64_t(place_2) * 1024);
            RowsGm picked_out(picked + int64_t(i1) * t * 1024 + int64_t(i2) * 1024);
            // picked: reshape(index_select(rows, 0, reshape(permute(place, [1, 0]), [k * t])), [k, t, h])  [moe_combine.yaml:23]
            TCARRY(picked_out, rows_in);
        }
    }
#endif
}
