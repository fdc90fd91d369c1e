// share: vector kernel of `moe_gate_softmax` for cpu. Made by pyptogen; change the spec, not this file.
// stages share; tiles t 64; memory UB 4608 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x16_c10 = Tile<TileType::Vec, float, 64, 16, BLayout::RowMajor, DYNAMIC, 10>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using TopGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 10>, Stride<1, 1, 1, 10, 1>>;
}  // namespace

extern "C" __global__ AICORE void share(
    __gm__ float *weight,
    __gm__ float *top,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 40);  // weight: around the cache if large
    for (int32_t t0 = t_begin + block * 64; t0 < t_end; t0 += nblk * 64) {
        const int32_t t0_valid = t_end - t0 < 64 ? t_end - t0 : 64;
        VecF32_64x16_c10 top_tile(t0_valid); TASSIGN(top_tile, 0x00000);  // UB 0x00000..0x01000
        VecF32_64x1 weight_max(t0_valid); TASSIGN(weight_max, 0x01000);  // UB 0x01000..0x01100
        TopGm top_in(top + int64_t(t0) * 10, {t0_valid});
        TPASS(t0_valid, 10, [&](auto at, auto &weight_max_max) {
            // weight: softmax(top)
            const auto top_tile_v = at.load(top_in);
            at.store(top_tile, top_tile_v);
            weight_max_max.take(at, top_tile_v);
        }, RowMax(weight_max));
        VecF32_64x16_c10 weight_e(t0_valid); TASSIGN(weight_e, 0x00000);  // UB 0x00000..0x01000
        VecF32_64x1 weight_sum(t0_valid); TASSIGN(weight_sum, 0x01100);  // UB 0x01100..0x01200
        TPASS(t0_valid, 10, [&](auto at, auto &weight_sum_sum) {
            at.ask_for(top_in, nblk * 64);  // the next iteration's
            const auto top_tile_v = at.load(top_tile);
            const auto weight_c = top_tile_v - at.column(weight_max);
            const auto weight_e_v = at.exp(weight_c);
            at.store(weight_e, weight_e_v);
            weight_sum_sum.take(at, weight_e_v);
        }, RowSum(weight_sum));
        TopGm weight_out(weight + int64_t(t0) * 10, {t0_valid});
        TPASS(t0_valid, 10, [&](auto at, auto &weight_sum_divisor) {
            const auto weight_e_v = at.load(weight_e);
            const auto weight_tile = weight_e_v / weight_sum_divisor;
            at.store(weight_out, weight_tile, far);
        }, Divisor(weight_sum));
    }
#endif
}
