// logits: cube kernel of `glm_gate` for cpu. Made by pyptogen; change the spec, not this file.
// stages logits; tiles h 512, t 64; memory L0A 131072 B, L0B 327680 B, L0C 40960 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_64x160 = TileAcc<float, 64, 160, DYNAMIC, 160>;
using LeftF32_64x512 = TileLeft<float, 64, 512, DYNAMIC, 512>;
using RightF32_512x160 = TileRight<float, 512, 160, 512, 160>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 5120, 1>>;
using WGm = GlobalTensor<float, Shape<1, 1, 1, 512, 160>, Stride<1, 1, 1, 163840, 1>, Layout::CPU_PACKED>;
using LGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 160>, Stride<1, 1, 1, 160, 1>>;
}  // namespace

extern "C" __global__ AICORE void logits(
    __gm__ float *l,
    __gm__ float *x,
    __gm__ float *w,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_CUBE__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block * 64; t0 < t_end; t0 += nblk * 64) {
        const int32_t t0_valid = t_end - t0 < 64 ? t_end - t0 : 64;
        AccF32_64x160 l_acc(t0_valid); TASSIGN(l_acc, 0x00000);  // L0C 0x00000..0x0a000
        for (int32_t h0 = 0; h0 < 5120; h0 += 512) {
            // l: matmul(x, w, dtype=fp32)
            LeftF32_64x512 x_tile(t0_valid); TASSIGN(x_tile, 0x00000);  // L0A 0x00000..0x20000
            XGm x_in(x + int64_t(t0) * 5120 + int64_t(h0), {t0_valid});
            TLOAD(x_tile, x_in);
            RightF32_512x160 w_tile; TASSIGN(w_tile, 0x00000);  // L0B 0x00000..0x50000
            WGm w_in(w + int64_t(h0) * 32);
            TLOAD(w_tile, w_in);
            if (h0 == 0) {
                TMATMUL(l_acc, x_tile, w_tile);
            } else {
                TMATMUL_ACC(l_acc, l_acc, x_tile, w_tile);
            }
        }
        LGm l_out(l + int64_t(t0) * 160, {t0_valid});
        TSTORE(l_out, l_acc);
    }
#endif
}
