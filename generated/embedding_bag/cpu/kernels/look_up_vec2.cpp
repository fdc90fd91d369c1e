// look_up_vec2: vector kernel of `embedding_bag` for cpu. Made by pyptogen; change the spec, not this file.
// stages look_up; tiles i1 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using TableGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void look_up_vec2(
    __gm__ bfloat16_t *rows,
    __gm__ bfloat16_t *table,
    __gm__ int32_t *rows_1,
    int32_t bag,
    int32_t t,
    int32_t vocabulary,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i1 = block; i1 < bag * t; i1 += nblk) {
        const int64_t place = rows_1[int64_t(i1)];
        PTO_ASSERT(place >= 0 && place < int64_t(vocabulary), "an index in rows_1 is out of range");
        TableGm table_in(table + int64_t(place) * 128);
        TableGm rows_out(rows + int64_t(i1) * 128);
        // rows:  index_select(table, 0, reshape(maximum(token, 0), [t * bag]))  [embedding_bag.yaml:19]
        TCARRY(rows_out, table_in);
    }
#endif
}
