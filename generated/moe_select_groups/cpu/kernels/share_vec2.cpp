// share_vec2: vector kernel of `moe_select_groups` for cpu. Made by pyptogen; change the spec, not this file.
// stages share; tiles t 64; memory UB 2560 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x8 = Tile<TileType::Vec, float, 64, 8, BLayout::RowMajor, DYNAMIC, 8>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using ChosenGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 8>, Stride<1, 1, 1, 8, 1>>;
}  // namespace

extern "C" __global__ AICORE void share_vec2(
    __gm__ float *weight,
    __gm__ float *chosen,
    float scale,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 32);  // weight: around the cache if large
    for (int32_t t0 = t_begin + block * 64; t0 < t_end; t0 += nblk * 64) {
        const int32_t t0_valid = t_end - t0 < 64 ? t_end - t0 : 64;
        VecF32_64x8 chosen_tile(t0_valid); TASSIGN(chosen_tile, 0x00000);  // UB 0x00000..0x00800
        VecF32_64x1 weight_1(t0_valid); TASSIGN(weight_1, 0x00800);  // UB 0x00800..0x00900
        ChosenGm chosen_in(chosen + int64_t(t0) * 8, {t0_valid});
        TPASS(t0_valid, 8, [&](auto at, auto &weight_1_sum) {
            // weight: chosen / (sum(chosen, axis=-1, keepdim=true) + 1.0e-20) * scale
            const auto chosen_tile_v = at.load(chosen_in);
            at.store(chosen_tile, chosen_tile_v);
            weight_1_sum.take(at, chosen_tile_v);
        }, RowSum(weight_1));
        VecF32_1x64 weight_2_row(t0_valid); TASSIGN(weight_2_row, 0x00900);  // as a row, same bytes as weight_2
        VecF32_1x64 weight_1_row(t0_valid); TASSIGN(weight_1_row, 0x00800);  // as a row, same bytes as weight_1
        TADDS(weight_2_row, weight_1_row, 1e-20f);
        VecF32_64x1 weight_2(t0_valid); TASSIGN(weight_2, 0x00900);  // UB 0x00900..0x00a00
        ChosenGm weight_out(weight + int64_t(t0) * 8, {t0_valid});
        TPASS(t0_valid, 8, [&](auto at, auto &weight_2_divisor) {
            const auto chosen_tile_v = at.load(chosen_tile);
            const auto weight_3 = chosen_tile_v / weight_2_divisor;
            const auto weight_tile = weight_3 * at.all(scale);
            at.store(weight_out, weight_tile, far);
        }, Divisor(weight_2));
    }
#endif
}
