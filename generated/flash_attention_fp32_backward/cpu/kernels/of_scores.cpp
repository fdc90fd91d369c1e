// of_scores: vector kernel of `flash_attention_fp32_backward` for cpu. Made by pyptogen; change the spec, not this file.
// stages of_scores; tiles heads 1, kv 256, sq 16; memory UB 64 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, DYNAMIC, 1>;
using OGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using DPGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void of_scores(
    __gm__ float *d_s,
    __gm__ float *o,
    __gm__ float *d_o,
    __gm__ float *d_p,
    __gm__ float *p,
    float scale,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t sq0 = sq_begin; sq0 < sq_end; sq0 += 16) {
        const int32_t sq0_valid = sq_end - sq0 < 16 ? sq_end - sq0 : 16;
        for (int32_t kv0 = 0; kv0 < kv; kv0 += 256) {
            const int32_t kv0_valid = kv - kv0 < 256 ? kv - kv0 : 256;
            for (int32_t heads0 = block; heads0 < 8; heads0 += nblk) {
                VecF32_16x1 d_s_2(sq0_valid); TASSIGN(d_s_2, 0x00000);  // UB 0x00000..0x00040
                OGm o_in(o + int64_t(heads0) * sq * 128 + int64_t(sq0) * 128, {sq0_valid});
                OGm d_o_in(d_o + int64_t(heads0) * sq * 128 + int64_t(sq0) * 128, {sq0_valid});
                TPASS(sq0_valid, 128, [&](auto at, auto &d_s_2_sum) {
                    // d_s: p * (d_p - sum(o * d_o, axis=-1, keepdim=true)) * scale
                    const auto o_tile = at.load(o_in);
                    const auto d_o_tile = at.load(d_o_in);
                    const auto d_s_1 = o_tile * d_o_tile;
                    d_s_2_sum.take(at, d_s_1);
                }, RowSum(d_s_2));
                DPGm d_p_in(d_p + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
                DPGm p_in(p + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
                DPGm d_s_out(d_s + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
                TPASS(sq0_valid, kv0_valid, [&](auto at) {
                    const auto d_p_tile = at.load(d_p_in);
                    const auto p_tile = at.load(p_in);
                    const auto d_s_3 = d_p_tile - at.column(d_s_2);
                    const auto d_s_4 = p_tile * d_s_3;
                    const auto d_s_tile = d_s_4 * at.all(scale);
                    at.store(d_s_out, d_s_tile);
                });
            }
        }
    }
#endif
}
