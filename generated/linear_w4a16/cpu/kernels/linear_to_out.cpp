// linear_to_out: mixed kernel of `linear_w4a16` for cpu. Made by pyptogen; change the spec, not this file.
// stages linear, out; tiles groups 1, n 256, t 256; memory L0A 65536 B, L0B 65536 B, L0C 262144 B, UB 360448 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_256x256 = Tile<TileType::Vec, float, 256, 256, BLayout::RowMajor, DYNAMIC, 256>;
using VecU8_128x256_c128 = Tile<TileType::Vec, uint8_t, 128, 256, BLayout::RowMajor, 128, 128>;
using VecI4_128x256 = Tile<TileType::Vec, int4b_t, 128, 256, BLayout::RowMajor, 128, 256>;
using VecB16_128x256 = Tile<TileType::Vec, bfloat16_t, 128, 256, BLayout::RowMajor, 128, 256>;
using LeftB16_256x128 = TileLeft<bfloat16_t, 256, 128, DYNAMIC, 128>;
using RightB16_128x256 = TileRight<bfloat16_t, 128, 256, 128, 256>;
using AccF32_256x256 = TileAcc<float, 256, 256, DYNAMIC, 256>;
using VecF32_1x256 = Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, 256>;
using WGm = GlobalTensor<uint8_t, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 1024, 1>>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 2048, 1>>;
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
            // total: full([t, n], 0, fp32)
            VecF32_256x256 total(t0_valid); TASSIGN(total, 0x00000);  // UB 0x00000..0x40000
            TEXPANDS(total, 0.0f);
            for (int32_t groups0 = 0; groups0 < 16; ++groups0) {
                // y_g: matmul(x_g, cast(w_g, bf16), dtype=fp32)
                VecU8_128x256_c128 w_g_bytes; TASSIGN(w_g_bytes, 0x40000);  // same bytes as w_g
                WGm w_in(w + int64_t(groups0) * 131072 + int64_t(n0) / 2);
                TLOAD(w_g_bytes, w_in);
                VecI4_128x256 w_g; TASSIGN(w_g, 0x40000);  // UB 0x40000..0x48000
                VecB16_128x256 y_g_1; TASSIGN(y_g_1, 0x48000);  // UB 0x48000..0x58000
                TCVT(y_g_1, w_g, RoundMode::CAST_RINT);
                LeftB16_256x128 x_g(t0_valid); TASSIGN(x_g, 0x00000);  // L0A 0x00000..0x10000
                XGm x_in(x + int64_t(t0) * 2048 + int64_t(groups0) * 128, {t0_valid});
                TLOAD(x_g, x_in);
                RightB16_128x256 y_g_1_l0b; TASSIGN(y_g_1_l0b, 0x00000);  // L0B 0x00000..0x10000
                TMOV(y_g_1_l0b, y_g_1);
                AccF32_256x256 y_g_acc(t0_valid); TASSIGN(y_g_acc, 0x00000);  // L0C 0x00000..0x40000
                TMATMUL(y_g_acc, x_g, y_g_1_l0b);
                VecF32_1x256 total_1; TASSIGN(total_1, 0x40000);  // UB 0x40000..0x40400
                ScaleGm scale_in(scale + int64_t(groups0) * 2048 + int64_t(n0));
                TPASS(1, 256, [&](auto at) {
                    // total: total + y_g * cast(scale[groups], fp32)
                    const auto scale_tile = at.load(scale_in);
                    at.store(total_1, scale_tile);
                });
                TPASS(t0_valid, 256, [&](auto at) {
                    const auto y_g = at.extract(y_g_acc, 0);
                    const auto total_2 = y_g * at.row(total_1);
                    const auto total_v = at.load(total);
                    const auto total_v_2 = total_v + total_2;
                    at.store(total, total_v_2);
                });
            }
            YGm y_out(y + int64_t(t0) * 2048 + int64_t(n0), {t0_valid});
            TPASS(t0_valid, 256, [&](auto at) {
                // y: cast(total, bf16)
                const auto total_v = at.load(total);
                at.store(y_out, total_v, far);
            });
        }
    }
}
