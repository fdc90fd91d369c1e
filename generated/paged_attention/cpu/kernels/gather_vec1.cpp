// gather_vec1: vector kernel of `paged_attention` for cpu. Made by pyptogen; change the spec, not this file.
// stages gather; tiles i1 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using KCacheGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 8192>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void gather_vec1(
    __gm__ bfloat16_t *k_rows,
    __gm__ bfloat16_t *k_cache,
    __gm__ int32_t *block_table,
    int32_t batch,
    int32_t pages,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i1 = block; i1 < batch * pages; i1 += nblk) {
        const int64_t place_2 = block_table[int64_t(i1)];
        KCacheGm k_cache_in(k_cache + int64_t(place_2) * 8192);
        KCacheGm k_rows_out(k_rows + int64_t(i1) * 8192);
        // rows: index_select(flat, 0, reshape(table, [batch * pages]))  [paged_attention.yaml:28]
        TCARRY(k_rows_out, k_cache_in);
    }
#endif
}
