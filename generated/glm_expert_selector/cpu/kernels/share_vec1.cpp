// share_vec1: vector kernel of `glm_expert_selector` for cpu. Made by pyptogen; change the spec, not this file.
// stages share; tiles i1 1, i2 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using ScoreGm = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;
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
    for (int32_t i1 = block; i1 < t; i1 += nblk) {
        for (int32_t i2 = 0; i2 < 8; ++i2) {
            const int64_t place = expert[int64_t(i1) * 8 + int64_t(i2)];
            ScoreGm score_in(score + int64_t(i1) * 160 + int64_t(place));
            ScoreGm chosen_out(chosen + int64_t(i1) * 8 + int64_t(i2));
            TPASS(1, 1, [&](auto at) {
                // chosen: gather(score, 1, expert)  [glm_expert_selector.yaml:26]
                const auto part = at.load(score_in);
                at.store(chosen_out, part);
            });
        }
    }
#endif
}
