// block_vec4: vector kernel of `grouped_matmul` for cpu. Made by pyptogen; change the spec, not this file.
// stages block; tiles blocks 1; memory UB 0 B
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

extern "C" __global__ AICORE void block_vec4(
    __gm__ int32_t *first,
    __gm__ int32_t *shift,
    __gm__ int32_t *group,
    int32_t full,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t blocks0 = block; blocks0 < full + 16; blocks0 += nblk) {
        const int64_t group_here = index_inside(group[int64_t(blocks0)], 16, 1);
        ShiftGm shift_in(shift + int64_t(group_here));
        ShiftGm first_out(first + int64_t(blocks0));
        // first:  index_select(shift, 0, group)
        TCARRY(first_out, shift_in);
    }
#endif
}
