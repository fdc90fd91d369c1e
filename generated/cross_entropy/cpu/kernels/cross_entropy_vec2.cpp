// cross_entropy_vec2: vector kernel of `cross_entropy` for cpu. Made by pyptogen; change the spec, not this file.
// stages cross_entropy; tiles rows 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LogitsGm = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 4096>>;
using NamedGm = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;

// An index, or the nearest one that names a place. `site`: which of the operator's this is, for PTG408.
AICORE inline int64_t index_inside(int64_t index, int64_t size, [[maybe_unused]] int32_t site)
{
#if defined(PTO_WRONG_INDEX)
    PTO_WRONG_INDEX(index < 0 || index >= size, index, size, site);
#endif
    return index < 0 ? 0 : index < size ? index : size - 1;
}
}  // namespace

extern "C" __global__ AICORE void cross_entropy_vec2(
    __gm__ float *named,
    __gm__ float *logits,
    __gm__ int64_t *label,
    int32_t rows,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t rows0 = block; rows0 < rows; rows0 += nblk) {
        const int64_t label_here = index_inside(label[int64_t(rows0)], 4096, 1);
        LogitsGm logits_in(logits + int64_t(rows0) * 4096 + int64_t(label_here));
        NamedGm named_out(named + int64_t(rows0));
        // named: gather(logits, 1, label[:, None])
        TCARRY(named_out, logits_in);
    }
#endif
}
