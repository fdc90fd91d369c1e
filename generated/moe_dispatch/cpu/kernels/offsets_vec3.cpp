// offsets_vec3: vector kernel of `moe_dispatch` for cpu. Made by pyptogen; change the spec, not this file.
// stages offsets; tiles whole; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using Before1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void offsets_vec3(
    __gm__ int32_t *before,
    __gm__ int32_t *before_1,
    __gm__ int32_t *count,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    Before1Gm before_1_in(before_1);
    Before1Gm count_in(count);
    Before1Gm before_out(before);
    TPASS(1, 64, [&](auto at) {
        // before: cumsum(count, axis=-1) - count
        const auto before_1_tile = at.load(before_1_in);
        const auto count_tile = at.load(count_in);
        const auto before_tile = before_1_tile - count_tile;
        at.store(before_out, before_tile);
    });
#endif
}
