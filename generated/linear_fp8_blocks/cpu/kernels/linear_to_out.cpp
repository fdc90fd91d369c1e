// linear_to_out: mixed kernel of `linear_fp8_blocks` for cpu. Made by pyptogen; change the spec, not this file.
// stages linear, out; tiles k_blocks 1, n_blocks 1, t 32; memory L0A 4096 B, L0B 16384 B, L0C 16384 B, UB 16832 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using LeftE4m3_32x128 = TileLeft<float8_e4m3_t, 32, 128, DYNAMIC, 128>;
using RightE4m3_128x128 = TileRight<float8_e4m3_t, 128, 128, 128, 128>;
using AccF32_32x128 = TileAcc<float, 32, 128, DYNAMIC, 128>;
using VecF32_32x1 = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_1x8_c1 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x1_r1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1>;
using XGm = GlobalTensor<float8_e4m3_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 1536, 1>>;
using WGm = GlobalTensor<float8_e4m3_t, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 768, 1>>;
using XScaleGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, 12, 1>>;
using WScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 0, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 768, 1>>;
}  // namespace

extern "C" __global__ AICORE void linear_to_out(
    __gm__ bfloat16_t *y,
    __gm__ float8_e4m3_t *x,
    __gm__ float8_e4m3_t *w,
    __gm__ float *x_scale,
    __gm__ float *w_scale,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 1536);  // y: around the cache if large
    for (int32_t t0 = t_begin + block * 32; t0 < t_end; t0 += nblk * 32) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        for (int32_t n_blocks0 = 0; n_blocks0 < 6; ++n_blocks0) {
            // total: full([t, n_blocks * block], 0, fp32)
            VecF32_32x128 total(t0_valid); TASSIGN(total, 0x00000);  // UB 0x00000..0x04000
            TEXPANDS(total, 0.0f);
            for (int32_t k_blocks0 = 0; k_blocks0 < 12; ++k_blocks0) {
                // part:  reshape(matmul(x_k, w_k), [t, n_blocks, block])
                LeftE4m3_32x128 x_k(t0_valid); TASSIGN(x_k, 0x00000);  // L0A 0x00000..0x01000
                XGm x_in(x + int64_t(t0) * 1536 + int64_t(k_blocks0) * 128, {t0_valid});
                TLOAD(x_k, x_in);
                RightE4m3_128x128 w_k; TASSIGN(w_k, 0x00000);  // L0B 0x00000..0x04000
                WGm w_in(w + int64_t(k_blocks0) * 98304 + int64_t(n_blocks0) * 128);
                TLOAD(w_k, w_in);
                AccF32_32x128 part_1_acc(t0_valid); TASSIGN(part_1_acc, 0x00000);  // L0C 0x00000..0x04000
                TMATMUL(part_1_acc, x_k, w_k);
                // scale: reshape(x_scale[:, k_blocks], [t, 1, 1]) * reshape(w_scale[k_blocks], [1, n_blocks, 1])
                VecF32_32x1 x_scale_tile(t0_valid); TASSIGN(x_scale_tile, 0x04000);  // UB 0x04000..0x04080
                XScaleGm x_scale_in(x_scale + int64_t(t0) * 12 + int64_t(k_blocks0), {t0_valid});
                TLOAD(x_scale_tile, x_scale_in);
                VecF32_1x8_c1 w_scale_tile_row; TASSIGN(w_scale_tile_row, 0x04080);  // as a row, same bytes as w_scale_tile
                WScaleGm w_scale_in(w_scale + int64_t(k_blocks0) * 6 + int64_t(n_blocks0));
                TLOAD(w_scale_tile_row, w_scale_in);
                VecF32_1x32 w_scale_tile_wide_row(t0_valid); TASSIGN(w_scale_tile_wide_row, 0x040c0);  // as a row, same bytes as w_scale_tile_wide
                VecF32_8x1_r1 w_scale_tile; TASSIGN(w_scale_tile, 0x04080);  // UB 0x04080..0x040a0
                TROWEXPAND(w_scale_tile_wide_row, w_scale_tile);
                VecF32_1x32 scale_row(t0_valid); TASSIGN(scale_row, 0x04140);  // as a row, same bytes as scale
                VecF32_1x32 x_scale_tile_row(t0_valid); TASSIGN(x_scale_tile_row, 0x04000);  // as a row, same bytes as x_scale_tile
                TMUL(scale_row, x_scale_tile_row, w_scale_tile_wide_row);
                VecF32_32x1 scale(t0_valid); TASSIGN(scale, 0x04140);  // UB 0x04140..0x041c0
                TPASS(t0_valid, 128, [&](auto at) {
                    // total: total + reshape(part * scale, [t, n_blocks * block])
                    const auto part_1 = at.extract(part_1_acc, 0);
                    const auto total_1 = part_1 * at.column(scale);
                    const auto total_v = at.load(total);
                    const auto total_v_2 = total_v + total_1;
                    at.store(total, total_v_2);
                });
            }
            YGm y_out(y + int64_t(t0) * 768 + int64_t(n_blocks0) * 128, {t0_valid});
            TPASS(t0_valid, 128, [&](auto at) {
                // y: reshape(cast(total, bf16), [t, n_blocks, block])
                const auto total_v = at.load(total);
                at.store(y_out, total_v, far);
            });
        }
    }
}
