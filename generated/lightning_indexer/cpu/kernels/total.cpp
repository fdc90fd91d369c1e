// total: vector kernel of `lightning_indexer` for cpu. Made by pyptogen; change the spec, not this file.
// stages total; tiles i1 1, i2 64; memory UB 4352 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_16x64 = Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, DYNAMIC>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using SGm = GlobalTensor<float, Shape<1, 1, 1, 16, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using AllScores1Gm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void total(
    __gm__ float *all_scores_1,
    __gm__ float *s,
    int32_t kv,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i1 = block; i1 < t; i1 += nblk) {
        for (int32_t i2 = 0; i2 < kv; i2 += 64) {
            const int32_t i2_valid = kv - i2 < 64 ? kv - i2 : 64;
            // all_scores: sum(s, axis=1)  [lightning_indexer.yaml:24]
            VecF32_16x64 part(i2_valid); TASSIGN(part, 0x00100);  // UB 0x00100..0x01100
            SGm s_in(s + int64_t(i1) * kv * 16 + int64_t(i2), {i2_valid}, {int64_t(kv)});
            TLOAD(part, s_in);
            VecF32_1x64 found(i2_valid); TASSIGN(found, 0x00000);  // UB 0x00000..0x00100
            TCOLSUM(found, part);
            AllScores1Gm all_scores_1_out(all_scores_1 + int64_t(i1) * kv + int64_t(i2), {i2_valid});
            TPASS(1, i2_valid, [&](auto at) {
                const auto total = at.all(0.0f);
                const auto found_v = at.load(found);
                const auto total_2 = total + found_v;
                at.store(all_scores_1_out, total_2);
            });
        }
    }
#endif
}
