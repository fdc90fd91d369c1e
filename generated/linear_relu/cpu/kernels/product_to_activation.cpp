// product_to_activation: mixed kernel of `linear_relu` for cpu. Made by pyptogen; change the spec, not this file.
// stages product, activation; tiles n 128, t 256 / 32; memory L0A 262144 B, L0B 131072 B, L0C 131072 B, UB 512 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftF16_256x512 = TileLeft<half, 256, 512, DYNAMIC, 512>;
using RightF16_512x128 = TileRight<half, 512, 128, 512, 128>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using AccF32_256x128 = TileAcc<float, 256, 128, DYNAMIC, 128>;
using XGm = GlobalTensor<half, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 512, 1>>;
using WGm = GlobalTensor<half, Shape<1, 1, 1, 512, 128>, Stride<1, 1, 1, 1, 512>, Layout::DN>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>>;
using YGm = GlobalTensor<half, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 1024, 1>>;
}  // namespace

extern "C" __global__ AICORE void product_to_activation(
    __gm__ half *y,
    __gm__ half *x,
    __gm__ half *w,
    __gm__ float *bias,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 2048);  // y: around the cache if large
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 256) {
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        // p: matmul(x, w.T, dtype=fp32)
        LeftF16_256x512 x_tile(t0_valid); TASSIGN(x_tile, 0x00000);  // L0A 0x00000..0x40000
        XGm x_in(x + int64_t(t0) * 512, {t0_valid});
        TLOAD(x_tile, x_in);
        for (int32_t n0 = block * 128; n0 < 1024; n0 += nblk * 128) {
            RightF16_512x128 w_tile; TASSIGN(w_tile, 0x00000);  // L0B 0x00000..0x20000
            WGm w_in(w + int64_t(n0) * 512);
            TLOAD(w_tile, w_in);
            // y: cast(relu(p + bias), fp16)
            VecF32_1x128 bias_tile; TASSIGN(bias_tile, 0x00000);  // UB 0x00000..0x00200
            BiasGm bias_in(bias + int64_t(n0));
            TLOAD(bias_tile, bias_in);
            // p: matmul(x, w.T, dtype=fp32)
            AccF32_256x128 p_acc(t0_valid); TASSIGN(p_acc, 0x00000);  // L0C 0x00000..0x20000
            TMATMUL(p_acc, x_tile, w_tile);
            for (int32_t t1 = t0; t1 < t0 + t0_valid; t1 += 32) {
                const int32_t t1_valid = t0 + t0_valid - t1 < 32 ? t0 + t0_valid - t1 : 32;
                YGm y_out(y + int64_t(t1) * 1024 + int64_t(n0), {t1_valid});
                TPASS(t1_valid, 128, [&](auto at) {
                    // y: cast(relu(p + bias), fp16)
                    const auto p = at.extract(p_acc, t1 - t0);
                    const auto y_1 = p + at.row(bias_tile);
                    const auto y_2 = at.relu(y_1);
                    at.store(y_out, y_2, far);
                });
            }
        }
    }
}
