// gather_vec3: vector kernel of `paged_attention` for cpu. Made by pyptogen; change the spec, not this file.
// stages gather; tiles i2 64, i3 1, i4 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using KRowsGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 256, 1>>;
using KGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void gather_vec3(
    __gm__ bfloat16_t *k,
    __gm__ bfloat16_t *k_rows,
    int32_t batch,
    int32_t pages,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i3 = block; i3 < batch; i3 += nblk) {
        for (int32_t i4 = 0; i4 < 2; ++i4) {
            for (int32_t i2 = 0; i2 < pages * 32; i2 += 64) {
                const int32_t i2_valid = pages * 32 - i2 < 64 ? pages * 32 - i2 : 64;
                KRowsGm k_rows_in(k_rows + int64_t(i3) * pages * 8192 + int64_t(i2) * 256 + int64_t(i4) * 128, {i2_valid});
                KGm k_out(k + int64_t(i3) * pages * 8192 + int64_t(i4) * pages * 4096 + int64_t(i2) * 128, {i2_valid});
                // return: permute(reshape(rows, [batch, slots, kv_heads, d]), [0, 2, 1, 3])  [paged_attention.yaml:29]
                TCARRY(k_out, k_rows_in);
            }
        }
    }
#endif
}
