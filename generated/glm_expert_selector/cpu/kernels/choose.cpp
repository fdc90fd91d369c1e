// choose: vector kernel of `glm_expert_selector` for cpu. Made by pyptogen; change the spec, not this file.
// stages choose; tiles t 1; memory UB 3904 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using VecI32_1x960 = Tile<TileType::Vec, int32_t, 1, 960, BLayout::RowMajor, 1, 960>;
using ChoiceGm = GlobalTensor<float, Shape<1, 1, 1, 1, 160>, Stride<1, 1, 1, 160, 1>>;
using ExpertGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 8, 1>>;
}  // namespace

extern "C" __global__ AICORE void choose(
    __gm__ int32_t *expert,
    __gm__ float *choice,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = block; t0 < t; t0 += nblk) {
        // top, expert: topk(choice, k)
        VecI32_1x8 positions; TASSIGN(positions, 0x00000);  // UB 0x00000..0x00020
        VecI32_1x960 candidates; TASSIGN(candidates, 0x00040);  // UB 0x00040..0x00f40
        ChoiceGm choice_in(choice + int64_t(t0) * 160);
        TTOPK(positions, choice_in, candidates);
        ExpertGm expert_out(expert + int64_t(t0) * 8);
        TSTORE(expert_out, positions);
    }
#endif
}
