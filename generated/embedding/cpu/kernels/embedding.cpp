// embedding: vector kernel of `embedding` for cpu. Made by pyptogen; change the spec, not this file.
// stages embedding; tiles t 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using TableGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 1024>, Stride<1, 1, 1, 1024, 1>>;
}  // namespace

extern "C" __global__ AICORE void embedding(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *table,
    __gm__ int32_t *token,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t) * 2048);  // y: around the cache if large
    for (int32_t t0 = block; t0 < t; t0 += nblk) {
        const int64_t token_here = token[int64_t(t0)];
        TableGm table_in(table + int64_t(token_here) * 1024);
        TableGm y_out(y + int64_t(t0) * 1024);
        // y: index_select(table, 0, token)
        TCARRY(y_out, table_in, far);
    }
#endif
}
