// product_to_scale: mixed kernel of `linear_int8` for cpu. Made by pyptogen; change the spec, not this file.
// stages product, scale; tiles n 128, t 256 / 32; memory L0A 524288 B, L0B 262144 B, L0C 131072 B, UB 1152 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftI8_256x2048 = TileLeft<int8_t, 256, 2048, DYNAMIC, 2048>;
using RightI8_2048x128 = TileRight<int8_t, 2048, 128, 2048, 128>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using AccI32_256x128 = TileAcc<int32_t, 256, 128, DYNAMIC, 128>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_32x1 = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using XGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 2048>, Stride<1, 1, 1, 2048, 1>>;
using WGm = GlobalTensor<int8_t, Shape<1, 1, 1, 2048, 128>, Stride<1, 1, 1, 65536, 1>, Layout::CPU_PACKED>;
using WScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>>;
using XScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 2048, 1>>;
}  // namespace

extern "C" __global__ AICORE void product_to_scale(
    __gm__ bfloat16_t *y,
    __gm__ int8_t *x,
    __gm__ int8_t *w,
    __gm__ float *x_scale,
    __gm__ float *w_scale,
    __gm__ float *bias,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 4096);  // y: around the cache if large
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 256) {
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        // p: matmul(x, w, dtype=int32)
        LeftI8_256x2048 x_tile(t0_valid); TASSIGN(x_tile, 0x00000);  // L0A 0x00000..0x80000
        XGm x_in(x + int64_t(t0) * 2048, {t0_valid});
        TLOAD(x_tile, x_in);
        for (int32_t n0 = block * 128; n0 < 2048; n0 += nblk * 128) {
            RightI8_2048x128 w_tile; TASSIGN(w_tile, 0x00000);  // L0B 0x00000..0x40000
            WGm w_in(w + int64_t(n0) * 2048);
            TLOAD(w_tile, w_in);
            // y: cast(cast(p, fp32) * x_scale * w_scale + bias, bf16)
            VecF32_1x128 w_scale_tile; TASSIGN(w_scale_tile, 0x00000);  // UB 0x00000..0x00200
            WScaleGm w_scale_in(w_scale + int64_t(n0));
            TLOAD(w_scale_tile, w_scale_in);
            VecF32_1x128 bias_tile; TASSIGN(bias_tile, 0x00200);  // UB 0x00200..0x00400
            WScaleGm bias_in(bias + int64_t(n0));
            TLOAD(bias_tile, bias_in);
            // p: matmul(x, w, dtype=int32)
            AccI32_256x128 p_acc(t0_valid); TASSIGN(p_acc, 0x00000);  // L0C 0x00000..0x20000
            TMATMUL(p_acc, x_tile, w_tile);
            for (int32_t t1 = t0; t1 < t0 + t0_valid; t1 += 32) {
                const int32_t t1_valid = t0 + t0_valid - t1 < 32 ? t0 + t0_valid - t1 : 32;
                // y: cast(cast(p, fp32) * x_scale * w_scale + bias, bf16)
                VecF32_1x32 x_scale_tile_row(t1_valid); TASSIGN(x_scale_tile_row, 0x00400);  // as a row, same bytes as x_scale_tile
                XScaleGm x_scale_in(x_scale + int64_t(t1), {t1_valid});
                TLOAD(x_scale_tile_row, x_scale_in);
                VecF32_32x1 x_scale_tile(t1_valid); TASSIGN(x_scale_tile, 0x00400);  // UB 0x00400..0x00480
                YGm y_out(y + int64_t(t1) * 2048 + int64_t(n0), {t1_valid});
                TPASS(t1_valid, 128, [&](auto at) {
                    const auto p = at.extract(p_acc, t1 - t0);
                    const auto y_1 = at.to_float(p);
                    const auto y_2 = y_1 * at.column(x_scale_tile);
                    const auto y_3 = y_2 * at.row(w_scale_tile);
                    const auto y_4 = y_3 + at.row(bias_tile);
                    at.store(y_out, y_4, far);
                });
            }
        }
    }
}
