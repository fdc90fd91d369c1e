// share_vec1: vector kernel of `glm_expert_selector` for cpu. Made by pyptogen; change the spec, not this file.
// stages share; tiles t 1; memory UB 96 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 8>;
using ExpertGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 8, 1>>;
using ScoreGm = GlobalTensor<float, Shape<1, 1, 1, 1, 160>, Stride<1, 1, 1, 160, 1>>;
using ChosenGm = GlobalTensor<float, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 8, 1>>;
}  // namespace

extern "C" __global__ AICORE void share_vec1(
    __gm__ float *chosen,
    __gm__ float *score,
    __gm__ int32_t *expert,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = block; t0 < t; t0 += nblk) {
        // chosen: gather(score, 1, expert)
        VecI32_1x8 expert_tile; TASSIGN(expert_tile, 0x00000);  // UB 0x00000..0x00020
        ExpertGm expert_in(expert + int64_t(t0) * 8);
        TLOAD(expert_tile, expert_in);
        VecF32_1x8 taken_; TASSIGN(taken_, 0x00040);  // UB 0x00040..0x00060
        ScoreGm score_in(score + int64_t(t0) * 160);
        MGATHER(taken_, score_in, expert_tile);
        ChosenGm chosen_out(chosen + int64_t(t0) * 8);
        TSTORE(chosen_out, taken_);
    }
#endif
}
