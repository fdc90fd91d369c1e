// gather_vec2: vector kernel of `paged_attention` for cpu. Made by pyptogen; change the spec, not this file.
// stages gather; tiles i1 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VCacheGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 8192>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void gather_vec2(
    __gm__ bfloat16_t *v_rows,
    __gm__ bfloat16_t *v_cache,
    __gm__ int32_t *block_table,
    int32_t batch,
    int32_t pages,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i1 = block; i1 < batch * pages; i1 += nblk) {
        const int64_t place_2 = block_table[int64_t(i1)];
        VCacheGm v_cache_in(v_cache + int64_t(place_2) * 8192);
        VCacheGm v_rows_out(v_rows + int64_t(i1) * 8192);
        // rows: index_select(flat, 0, reshape(table, [batch * pages]))  [paged_attention.yaml:28]
        TCARRY(v_rows_out, v_cache_in);
    }
#endif
}
