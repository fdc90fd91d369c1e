// layer_norm_channels: vector kernel of `layer_norm_channels` for cpu. Made by pyptogen; change the spec, not this file.
// stages layer_norm_channels; tiles c 16, hw 256, n 1; memory UB 3072 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x256_r1 = Tile<TileType::Vec, float, 8, 256, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using GammaGm = GlobalTensor<float, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 0, 1>>;
}  // namespace

extern "C" __global__ AICORE void layer_norm_channels(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *x,
    __gm__ float *gamma,
    __gm__ float *beta,
    float eps,
    int32_t n_begin,
    int32_t n_end,
    int32_t hw,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(hw) * (n_end - n_begin) * 384);  // y: around the cache if large
    for (int32_t n0 = n_begin; n0 < n_end; ++n0) {
        for (int32_t hw0 = block * 256; hw0 < hw; hw0 += nblk * 256) {
            const int32_t hw0_valid = hw - hw0 < 256 ? hw - hw0 : 256;
            // centred: wide - mean(wide, axis=1, keepdim=true)
            VecF32_8x256_r1 centred_2(hw0_valid); TASSIGN(centred_2, 0x00000);  // UB 0x00000..0x00400
            TEXPANDS(centred_2, 0.0f);
            for (int32_t c0 = 0; c0 < 192; c0 += 16) {
                VecF32_8x256_r1 centred_2_part(hw0_valid); TASSIGN(centred_2_part, 0x00400);  // UB 0x00400..0x00800
                XGm x_in(x + int64_t(hw) * n0 * 192 + int64_t(c0) * hw + int64_t(hw0), {hw0_valid}, {int64_t(hw)});
                TPASS(16, hw0_valid, [&](auto at, auto &centred_2_part_sum) {
                    // wide: cast(x, fp32)
                    const auto x_tile = at.load(x_in);
                    // centred: wide - mean(wide, axis=1, keepdim=true)
                    const auto centred_1 = x_tile * 0.0052083335f;
                    centred_2_part_sum.take(at, centred_1);
                }, ColSum(centred_2_part));
                TADD(centred_2, centred_2, centred_2_part);
            }
            // scale: rsqrt(mean(centred * centred, axis=1, keepdim=true) + eps)
            VecF32_8x256_r1 scale_3(hw0_valid); TASSIGN(scale_3, 0x00400);  // UB 0x00400..0x00800
            TEXPANDS(scale_3, 0.0f);
            for (int32_t c0 = 0; c0 < 192; c0 += 16) {
                VecF32_8x256_r1 scale_3_part(hw0_valid); TASSIGN(scale_3_part, 0x00800);  // UB 0x00800..0x00c00
                XGm x_in(x + int64_t(hw) * n0 * 192 + int64_t(c0) * hw + int64_t(hw0), {hw0_valid}, {int64_t(hw)});
                TPASS(16, hw0_valid, [&](auto at, auto &scale_3_part_sum) {
                    // wide: cast(x, fp32)
                    const auto x_tile_2 = at.load(x_in);
                    // centred: wide - mean(wide, axis=1, keepdim=true)
                    const auto centred = x_tile_2 - at.row(centred_2);
                    // scale: rsqrt(mean(centred * centred, axis=1, keepdim=true) + eps)
                    const auto scale_1 = centred * centred;
                    const auto scale_2 = scale_1 * 0.0052083335f;
                    scale_3_part_sum.take(at, scale_2);
                }, ColSum(scale_3_part));
                TADD(scale_3, scale_3, scale_3_part);
            }
            VecF32_8x256_r1 scale(hw0_valid); TASSIGN(scale, 0x00400);  // UB 0x00400..0x00800
            TPASS(1, hw0_valid, [&](auto at) {
                const auto scale_3_v = at.load(scale_3);
                const auto scale_4 = scale_3_v + at.all(eps);
                const auto scale_v = 1.0f / at.sqrt(scale_4);
                at.store(scale, scale_v);
            });
            for (int32_t c0 = 0; c0 < 192; c0 += 16) {
                // y: cast(centred * scale * gamma[:, None] + beta[:, None], bf16)
                VecF32_1x16 gamma_tile_row; TASSIGN(gamma_tile_row, 0x00800);  // as a row, same bytes as gamma_tile
                GammaGm gamma_in(gamma + int64_t(c0));
                TLOAD(gamma_tile_row, gamma_in);
                VecF32_1x16 beta_tile_row; TASSIGN(beta_tile_row, 0x00840);  // as a row, same bytes as beta_tile
                GammaGm beta_in(beta + int64_t(c0));
                TLOAD(beta_tile_row, beta_in);
                VecF32_16x1 gamma_tile; TASSIGN(gamma_tile, 0x00800);  // UB 0x00800..0x00840
                VecF32_16x1 beta_tile; TASSIGN(beta_tile, 0x00840);  // UB 0x00840..0x00880
                XGm x_in(x + int64_t(hw) * n0 * 192 + int64_t(c0) * hw + int64_t(hw0), {hw0_valid}, {int64_t(hw)});
                XGm y_out(y + int64_t(hw) * n0 * 192 + int64_t(c0) * hw + int64_t(hw0), {hw0_valid}, {int64_t(hw)});
                TPASS(16, hw0_valid, [&](auto at) {
                    // wide: cast(x, fp32)
                    const auto x_tile_3 = at.load(x_in);
                    // centred: wide - mean(wide, axis=1, keepdim=true)
                    const auto centred_again = x_tile_3 - at.row(centred_2);
                    // y: cast(centred * scale * gamma[:, None] + beta[:, None], bf16)
                    const auto y_1 = centred_again * at.row(scale);
                    const auto y_4 = y_1 * at.column(gamma_tile);
                    const auto y_7 = y_4 + at.column(beta_tile);
                    at.store(y_out, y_7, far);
                });
            }
        }
    }
#endif
}
