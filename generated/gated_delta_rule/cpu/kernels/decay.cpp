// decay: vector kernel of `gated_delta_rule` for cpu. Made by pyptogen; change the spec, not this file.
// stages decay; tiles b 1, group 1, heads 1, s 64; memory UB 1024 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x64_r1 = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using PlaceGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using PlaceGm2 = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using GHGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void decay(
    __gm__ float *gamma,
    __gm__ float *place,
    __gm__ float *g_h,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t b0 = b_begin; b0 < b_end; ++b0) {
        for (int32_t heads0 = block; heads0 < 16; heads0 += nblk) {
            for (int32_t group0 = 0; group0 < 2; ++group0) {
                for (int32_t s0 = 0; s0 < s; s0 += 64) {
                    const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
                    // seen: upto(place[s][:, None] - place[s][None, :] + 1)  [gated_delta_rule.yaml:57]
                    VecF32_1x64 place_tile_row(s0_valid); TASSIGN(place_tile_row, 0x00000);  // as a row, same bytes as place_tile
                    PlaceGm place_in(place + int64_t(s0), {s0_valid});
                    TLOAD(place_tile_row, place_in);
                    VecF32_1x64 place_tile_2(s0_valid); TASSIGN(place_tile_2, 0x00100);  // UB 0x00100..0x00200
                    PlaceGm2 place_in_2(place + int64_t(s0), {s0_valid});
                    TLOAD(place_tile_2, place_in_2);
                    // gamma: sum(seen * g_h[:, :, :, None, s], axis=-1)  [gated_delta_rule.yaml:59]
                    VecF32_8x64_r1 g_h_tile(s0_valid); TASSIGN(g_h_tile, 0x00200);  // UB 0x00200..0x00300
                    GHGm g_h_in(g_h + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid}, {int64_t(s)});
                    TLOAD(g_h_tile, g_h_in);
                    VecF32_64x1 place_tile(s0_valid); TASSIGN(place_tile, 0x00000);  // UB 0x00000..0x00100
                    VecF32_64x1 gamma_4(s0_valid); TASSIGN(gamma_4, 0x00300);  // UB 0x00300..0x00400
                    TPASS(s0_valid, s0_valid, [&](auto at, auto &gamma_4_sum) {
                        // seen: upto(place[s][:, None] - place[s][None, :] + 1)  [gated_delta_rule.yaml:57]
                        const auto seen_3 = at.column(place_tile);
                        const auto seen_3_2 = seen_3 - at.row(place_tile_2);
                        const auto seen_4 = seen_3_2 + 1.0f;
                        // return: clip(x, 0, 1)  [gated_delta_rule.yaml:38]
                        const auto seen_5 = at.max(seen_4, 0.0f);
                        const auto seen = at.min(seen_5, 1.0f);
                        // gamma: sum(seen * g_h[:, :, :, None, s], axis=-1)  [gated_delta_rule.yaml:59]
                        const auto gamma_3 = seen * at.row(g_h_tile);
                        gamma_4_sum.take(at, gamma_3);
                    }, RowSum(gamma_4));
                    VecF32_1x64 gamma_4_row(s0_valid); TASSIGN(gamma_4_row, 0x00300);  // as a row, same bytes as gamma_4
                    PlaceGm gamma_out(gamma + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid});
                    TSTORE(gamma_out, gamma_4_row);
                }
            }
        }
    }
#endif
}
