// choose_vec2: vector kernel of `moe_select_groups` for cpu. Made by pyptogen; change the spec, not this file.
// stages choose; tiles t 1; memory UB 5440 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using VecI32_1x1344 = Tile<TileType::Vec, int32_t, 1, 1344, BLayout::RowMajor, 1, 1344>;
using MaskedGm = GlobalTensor<float, Shape<1, 1, 1, 1, 256>, Stride<1, 1, 1, 256, 1>>;
using ExpertGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 8, 1>>;
}  // namespace

extern "C" __global__ AICORE void choose_vec2(
    __gm__ int32_t *expert,
    __gm__ float *masked,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = block; t0 < t; t0 += nblk) {
        // top, expert: topk(masked, k)
        VecI32_1x8 positions; TASSIGN(positions, 0x00000);  // UB 0x00000..0x00020
        VecI32_1x1344 candidates; TASSIGN(candidates, 0x00040);  // UB 0x00040..0x01540
        MaskedGm masked_in(masked + int64_t(t0) * 256);
        TTOPK(positions, masked_in, candidates);
        ExpertGm expert_out(expert + int64_t(t0) * 8);
        TSTORE(expert_out, positions);
    }
#endif
}
