// linear_to_out: mixed kernel of `linear_w4a16` for cpu. Made by pyptogen; change the spec, not this file.
// stages linear, out; tiles groups 1, n 256, t 256; memory L0A 32768 B, L0B 32768 B, L0C 524288 B, UB 376832 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_256x256 = Tile<TileType::Vec, float, 256, 256, BLayout::RowMajor, DYNAMIC, 256>;
using VecU8_64x256 = Tile<TileType::Vec, uint8_t, 64, 256, BLayout::RowMajor, 64, 256>;
using LeftB16_256x64 = TileLeft<bfloat16_t, 256, 64, DYNAMIC, 64>;
using VecB16_64x256 = Tile<TileType::Vec, bfloat16_t, 64, 256, BLayout::RowMajor, 64, 256>;
using RightB16_64x256 = TileRight<bfloat16_t, 64, 256, 64, 256>;
using AccF32_256x256 = TileAcc<float, 256, 256, DYNAMIC, 256>;
using VecF32_1x256 = Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, 256>;
using WGm = GlobalTensor<uint8_t, Shape<1, 1, 1, 64, 256>, Stride<1, 1, 1, 2048, 1>>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 2048, 1>>;
using ScaleGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 256>, Stride<1, 1, 1, 2048, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 2048, 1>>;
}  // namespace

extern "C" __global__ AICORE void linear_to_out(
    __gm__ bfloat16_t *y,
    __gm__ uint8_t *w,
    __gm__ bfloat16_t *scale,
    __gm__ bfloat16_t *x,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 4096);  // y: around the cache if large
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 256) {
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        for (int32_t n0 = block * 256; n0 < 2048; n0 += nblk * 256) {
            // total: full([t, n], 0, fp32)  [linear_w4a16.yaml:31]
            VecF32_256x256 total(t0_valid); TASSIGN(total, 0x00000);  // UB 0x00000..0x40000
            TEXPANDS(total, 0.0f);
            for (int32_t groups0 = 0; groups0 < 16; ++groups0) {
                // low:  matmul(x_g[:, :half], weights(w_g & 15), dtype=fp32)  [linear_w4a16.yaml:35]
                VecU8_64x256 w_g; TASSIGN(w_g, 0x40000);  // UB 0x40000..0x44000
                WGm w_in(w + int64_t(groups0) * 131072 + int64_t(n0));
                TLOAD(w_g, w_in);
                VecU8_64x256 low_2; TASSIGN(low_2, 0x44000);  // UB 0x44000..0x48000
                TANDS(low_2, w_g, 15);
                // high: matmul(x_g[:, half:], weights(w_g >> 4), dtype=fp32)  [linear_w4a16.yaml:36]
                VecU8_64x256 high_2; TASSIGN(high_2, 0x48000);  // UB 0x48000..0x4c000
                TSHRS(high_2, w_g, 4);
                // low:  matmul(x_g[:, :half], weights(w_g & 15), dtype=fp32)  [linear_w4a16.yaml:35]
                LeftB16_256x64 x_tile(t0_valid); TASSIGN(x_tile, 0x00000);  // L0A 0x00000..0x08000
                XGm x_in(x + int64_t(t0) * 2048 + int64_t(groups0) * 128, {t0_valid});
                TLOAD(x_tile, x_in);
                VecB16_64x256 low_5; TASSIGN(low_5, 0x54000);  // UB 0x54000..0x5c000
                VecB16_64x256 high_5; TASSIGN(high_5, 0x4c000);  // UB 0x4c000..0x54000
                TPASS(64, 256, [&](auto at) {
                    // return: cast(cast(bits, fp32) - 8, bf16)  [linear_w4a16.yaml:25]
                    const auto low_2_v = at.load(low_2);
                    const auto low_3 = at.to_float(low_2_v);
                    const auto low_4 = low_3 - 8.0f;
                    at.store(low_5, low_4);
                    const auto high_2_v = at.load(high_2);
                    const auto high_3 = at.to_float(high_2_v);
                    const auto high_4 = high_3 - 8.0f;
                    at.store(high_5, high_4);
                });
                // low:  matmul(x_g[:, :half], weights(w_g & 15), dtype=fp32)  [linear_w4a16.yaml:35]
                RightB16_64x256 low_5_l0b; TASSIGN(low_5_l0b, 0x00000);  // L0B 0x00000..0x08000
                TMOV(low_5_l0b, low_5);
                AccF32_256x256 low_acc(t0_valid); TASSIGN(low_acc, 0x00000);  // L0C 0x00000..0x40000
                TMATMUL(low_acc, x_tile, low_5_l0b);
                // high: matmul(x_g[:, half:], weights(w_g >> 4), dtype=fp32)  [linear_w4a16.yaml:36]
                LeftB16_256x64 x_tile_2(t0_valid); TASSIGN(x_tile_2, 0x00000);  // L0A 0x00000..0x08000
                XGm x_in_2(x + int64_t(t0) * 2048 + int64_t(groups0) * 128 + 64, {t0_valid});
                TLOAD(x_tile_2, x_in_2);
                RightB16_64x256 high_5_l0b; TASSIGN(high_5_l0b, 0x00000);  // L0B 0x00000..0x08000
                TMOV(high_5_l0b, high_5);
                AccF32_256x256 high_acc(t0_valid); TASSIGN(high_acc, 0x40000);  // L0C 0x40000..0x80000
                TMATMUL(high_acc, x_tile_2, high_5_l0b);
                VecF32_1x256 total_2; TASSIGN(total_2, 0x40000);  // UB 0x40000..0x40400
                ScaleGm scale_in(scale + int64_t(groups0) * 2048 + int64_t(n0));
                TPASS(1, 256, [&](auto at) {
                    // total: total + (low + high) * cast(scale[groups], fp32)  [linear_w4a16.yaml:38]
                    const auto scale_tile = at.load(scale_in);
                    at.store(total_2, scale_tile);
                });
                TPASS(t0_valid, 256, [&](auto at) {
                    const auto low = at.extract(low_acc, 0);
                    const auto high = at.extract(high_acc, 0);
                    const auto total_1 = low + high;
                    const auto total_3 = total_1 * at.row(total_2);
                    const auto total_v = at.load(total);
                    const auto total_v_2 = total_v + total_3;
                    at.store(total, total_v_2);
                });
            }
            YGm y_out(y + int64_t(t0) * 2048 + int64_t(n0), {t0_valid});
            TPASS(t0_valid, 256, [&](auto at) {
                // y: cast(total, bf16)  [linear_w4a16.yaml:40]
                const auto total_v = at.load(total);
                at.store(y_out, total_v, far);
            });
        }
    }
}
