// score: vector kernel of `moe_select_groups` for cpu. Made by pyptogen; change the spec, not this file.
// stages score; tiles t 16; memory UB 1024 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x256 = Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, 256>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, 256>, Stride<1, 1, 1, 1, 1>>;
using LogitsGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 256, 1>>;
}  // namespace

extern "C" __global__ AICORE void score(
    __gm__ float *s,
    __gm__ float *c,
    __gm__ float *logits,
    __gm__ float *bias,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // c: reshape(s + bias, [t, groups, each])
    VecF32_1x256 bias_tile; TASSIGN(bias_tile, 0x00000);  // UB 0x00000..0x00400
    BiasGm bias_in(bias);
    TLOAD(bias_tile, bias_in);
    for (int32_t t0 = t_begin + block * 16; t0 < t_end; t0 += nblk * 16) {
        const int32_t t0_valid = t_end - t0 < 16 ? t_end - t0 : 16;
        LogitsGm logits_in(logits + int64_t(t0) * 256, {t0_valid});
        LogitsGm s_out(s + int64_t(t0) * 256, {t0_valid});
        LogitsGm c_out(c + int64_t(t0) * 256, {t0_valid});
        TPASS<4>(t0_valid, 256, [&](auto at) {
            // s: sigmoid(logits)
            const auto logits_tile = at.load(logits_in);
            const auto s_neg = -logits_tile;
            const auto s_e = at.exp(s_neg);
            const auto s_one_e = s_e + 1.0f;
            const auto s_tile = 1.0f / s_one_e;
            // c: reshape(s + bias, [t, groups, each])
            const auto c_1 = s_tile + at.row(bias_tile);
            // s: sigmoid(logits)
            at.store(s_out, s_tile);
            // c: reshape(s + bias, [t, groups, each])
            at.store(c_out, c_1);
        });
    }
#endif
}
