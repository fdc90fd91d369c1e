// inverse_vec3: vector kernel of `moe_dispatch` for cpu. Made by pyptogen; change the spec, not this file.
// stages inverse; tiles i1 4096, i2 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using Source1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using Source3Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;

// An index, or the nearest one that names a place. `site`: which of the operator's this is, for PTG408.
AICORE inline int64_t index_inside(int64_t index, int64_t places, [[maybe_unused]] int32_t site)
{
#if defined(PTO_WRONG_INDEX)
    PTO_WRONG_INDEX(index < 0 || index >= places, index, places, site);
#endif
    return index < 0 ? 0 : index < places ? index : places - 1;
}
}  // namespace

extern "C" __global__ AICORE void inverse_vec3(
    __gm__ int32_t *source,
    __gm__ int32_t *place,
    __gm__ int32_t *source_3,
    __gm__ int32_t *source_1,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i1 = 0; i1 < t * 8; i1 += 4096) {
        const int32_t i1_valid = t * 8 - i1 < 4096 ? t * 8 - i1 : 4096;
        Source1Gm source_1_in(source_1 + int64_t(i1), {i1_valid});
        Source1Gm source_out(source + int64_t(i1), {i1_valid});
        // source: scatter(zeros([t * k], int32), 0, reshape(place, [t * k]), arange(t * k))
        TCARRY(source_out, source_1_in);
    }
    for (int32_t i2 = 0; i2 < t * 8; ++i2) {
        const int64_t place_3 = index_inside(place[int64_t(i2)], int64_t(t) * 8, 1);
        Source3Gm source_3_in(source_3 + int64_t(i2));
        Source3Gm source_out(source + int64_t(place_3));
        TCARRY(source_out, source_3_in);
    }
#endif
}
