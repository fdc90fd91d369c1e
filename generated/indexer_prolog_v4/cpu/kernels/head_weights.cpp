// head_weights: mixed kernel of `indexer_prolog_v4` for cpu. Made by pyptogen; change the spec, not this file.
// stages head_weights; tiles t 256; memory L0A 2097152 B, L0B 524288 B, L0C 65536 B, UB 32768 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using RightB16_4096x64 = TileRight<bfloat16_t, 4096, 64, 4096, 64>;
using LeftB16_256x4096 = TileLeft<bfloat16_t, 256, 4096, DYNAMIC, 4096>;
using AccF32_256x64 = TileAcc<float, 256, 64, DYNAMIC, 64>;
using VecB16_256x64 = Tile<TileType::Vec, bfloat16_t, 256, 64, BLayout::RowMajor, DYNAMIC, 64>;
using WProjGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 4096, 64>, Stride<1, 1, 1, 131072, 1>, Layout::CPU_PACKED>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 4096>, Stride<1, 1, 1, 4096, 1>>;
using WeightsGm = GlobalTensor<half, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 64, 1>>;
}  // namespace

extern "C" __global__ AICORE void head_weights(
    __gm__ half *weights,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *w_proj,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 128);  // weights: around the cache if large
    // w_b:     matmul(x, w_proj, dtype=bf16)
    RightB16_4096x64 w_proj_tile; TASSIGN(w_proj_tile, 0x00000);  // L0B 0x00000..0x80000
    WProjGm w_proj_in(w_proj);
    TLOAD(w_proj_tile, w_proj_in);
    for (int32_t t0 = t_begin + block * 256; t0 < t_end; t0 += nblk * 256) {
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        LeftB16_256x4096 x_tile(t0_valid); TASSIGN(x_tile, 0x00000);  // L0A 0x00000..0x200000
        XGm x_in(x + int64_t(t0) * 4096, {t0_valid});
        TLOAD(x_tile, x_in);
        AccF32_256x64 w_b_acc(t0_valid); TASSIGN(w_b_acc, 0x00000);  // L0C 0x00000..0x10000
        TMATMUL(w_b_acc, x_tile, w_proj_tile);
        // weights: cast(cast(w_b, fp32) * (heads ** -0.5 * d ** -0.5), fp16)
        VecB16_256x64 w_b(t0_valid); TASSIGN(w_b, 0x00000);  // UB 0x00000..0x08000
        TEXTRACT(w_b, w_b_acc, 0, 0);
        WeightsGm weights_out(weights + int64_t(t0) * 64, {t0_valid});
        TPASS(t0_valid, 64, [&](auto at) {
            const auto w_b_v = at.load(w_b);
            const auto weights_2 = w_b_v * 0.011048543f;
            at.store(weights_out, weights_2, far);
        });
    }
}
