// back: vector kernel of `grouped_matmul` for cpu. Made by pyptogen; change the spec, not this file.
// stages back; tiles t 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using YBGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 512>, Stride<1, 1, 1, 512, 1>>;

// An index, or the nearest one that names a place. `site`: which of the operator's this is, for PTG408.
AICORE inline int64_t index_inside(int64_t index, int64_t size, [[maybe_unused]] int32_t site)
{
#if defined(PTO_WRONG_INDEX)
    PTO_WRONG_INDEX(index < 0 || index >= size, index, size, site);
#endif
    return index < 0 ? 0 : index < size ? index : size - 1;
}
}  // namespace

extern "C" __global__ AICORE void back(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *y_b,
    __gm__ int32_t *slot,
    int32_t full,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(full) * 32768);  // y: around the cache if large
    for (int32_t t0 = block; t0 < full * 32; t0 += nblk) {
        const int64_t slot_here = index_inside(slot[int64_t(t0)], int64_t(full) * 32 + 512, 5);
        YBGm y_b_in(y_b + int64_t(slot_here) * 512);
        YBGm y_out(y + int64_t(t0) * 512);
        // y: index_select(reshape(y_b, [blocks * r, n]), 0, reshape(slot, [t]))
        TCARRY(y_out, y_b_in, far);
    }
#endif
}
