// gather_vec2: vector kernel of `sparse_attention` for cpu. Made by pyptogen; change the spec, not this file.
// stages gather; tiles rows_rows 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LatentGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 576>, Stride<1, 1, 1, 576, 1>>;

// An index, or the nearest one that names a place. `site`: which of the operator's this is, for PTG408.
AICORE inline int64_t index_inside(int64_t index, int64_t size, [[maybe_unused]] int32_t site)
{
#if defined(PTO_WRONG_INDEX)
    PTO_WRONG_INDEX(index < 0 || index >= size, index, size, site);
#endif
    return index < 0 ? 0 : index < size ? index : size - 1;
}
}  // namespace

extern "C" __global__ AICORE void gather_vec2(
    __gm__ bfloat16_t *rows,
    __gm__ bfloat16_t *latent,
    __gm__ int32_t *rows_1,
    int32_t t,
    int32_t kv,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t rows_rows0 = block; rows_rows0 < t * 2048; rows_rows0 += nblk) {
        const int64_t rows_1_here = index_inside(rows_1[int64_t(rows_rows0)], int64_t(kv), 1);
        LatentGm latent_in(latent + int64_t(rows_1_here) * 576);
        LatentGm rows_out(rows + int64_t(rows_rows0) * 576);
        // rows: index_select(latent, 0, reshape(maximum(index, 0), [t * selected]))
        TCARRY(rows_out, latent_in);
    }
#endif
}
