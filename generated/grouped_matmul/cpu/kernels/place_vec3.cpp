// place_vec3: vector kernel of `grouped_matmul` for cpu. Made by pyptogen; change the spec, not this file.
// stages place; tiles t 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using ShiftGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;

// An index, or the nearest one that names a place. `site`: which of the operator's this is, for PTG408.
AICORE inline int64_t index_inside(int64_t index, int64_t size, [[maybe_unused]] int32_t site)
{
#if defined(PTO_WRONG_INDEX)
    PTO_WRONG_INDEX(index < 0 || index >= size, index, size, site);
#endif
    return index < 0 ? 0 : index < size ? index : size - 1;
}
}  // namespace

extern "C" __global__ AICORE void place_vec3(
    __gm__ int32_t *slot_1,
    __gm__ int32_t *shift,
    __gm__ int32_t *owner,
    int32_t full,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = block; t0 < full * 32; t0 += nblk) {
        const int64_t owner_here = index_inside(owner[int64_t(t0)], 16, 4);
        ShiftGm shift_in(shift + int64_t(owner_here));
        ShiftGm slot_1_out(slot_1 + int64_t(t0));
        // slot:  reshape(arange(t), [t, 1]) - index_select(shift, 0, owner)[:, None]
        TCARRY(slot_1_out, shift_in);
    }
#endif
}
