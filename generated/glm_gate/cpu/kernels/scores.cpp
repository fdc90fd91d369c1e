// scores: vector kernel of `glm_gate` for cpu. Made by pyptogen; change the spec, not this file.
// stages scores; tiles t 64; memory UB 640 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x160 = Tile<TileType::Vec, float, 1, 160, BLayout::RowMajor, 1, 160>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, 160>, Stride<1, 1, 1, 1, 1>>;
using LGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 160>, Stride<1, 1, 1, 160, 1>>;
}  // namespace

extern "C" __global__ AICORE void scores(
    __gm__ float *score,
    __gm__ float *choice,
    __gm__ float *l,
    __gm__ float *bias,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 1280);  // score, choice: around the cache if large
    // choice: score + bias
    VecF32_1x160 bias_tile; TASSIGN(bias_tile, 0x00000);  // UB 0x00000..0x00280
    BiasGm bias_in(bias);
    TLOAD(bias_tile, bias_in);
    for (int32_t t0 = t_begin + block * 64; t0 < t_end; t0 += nblk * 64) {
        const int32_t t0_valid = t_end - t0 < 64 ? t_end - t0 : 64;
        LGm l_in(l + int64_t(t0) * 160, {t0_valid});
        LGm score_out(score + int64_t(t0) * 160, {t0_valid});
        LGm choice_out(choice + int64_t(t0) * 160, {t0_valid});
        TPASS<4>(t0_valid, 160, [&](auto at) {
            // score:  1 / (1 + exp(-l))
            const auto l_tile = at.load(l_in);
            const auto score_1 = -l_tile;
            const auto score_2 = at.exp(score_1);
            const auto score_3 = score_2 + 1.0f;
            const auto score_tile = 1.0f / score_3;
            // choice: score + bias
            const auto choice_tile = score_tile + at.row(bias_tile);
            // score:  1 / (1 + exp(-l))
            at.store(score_out, score_tile, far);
            // choice: score + bias
            at.store(choice_out, choice_tile, far);
        });
    }
#endif
}
