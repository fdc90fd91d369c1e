// logits: cube kernel of `moe_gate_softmax` for cpu. Made by pyptogen; change the spec, not this file.
// stages logits; tiles h 512, t 64; memory L0A 65536 B, L0B 524288 B, L0C 131072 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_64x512 = TileAcc<float, 64, 512, DYNAMIC, 512>;
using LeftB16_64x512 = TileLeft<bfloat16_t, 64, 512, DYNAMIC, 512>;
using RightB16_512x512 = TileRight<bfloat16_t, 512, 512, 512, 512>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 2048, 1>>;
using WGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 512, 512>, Stride<1, 1, 1, 65536, 1>, Layout::CPU_PACKED>;
using LGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 512, 1>>;
}  // namespace

extern "C" __global__ AICORE void logits(
    __gm__ float *l,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *w,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_CUBE__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block * 64; t0 < t_end; t0 += nblk * 64) {
        const int32_t t0_valid = t_end - t0 < 64 ? t_end - t0 : 64;
        AccF32_64x512 l_acc(t0_valid); TASSIGN(l_acc, 0x00000);  // L0C 0x00000..0x20000
        for (int32_t h0 = 0; h0 < 2048; h0 += 512) {
            // l: matmul(x, w, dtype=fp32)
            LeftB16_64x512 x_tile(t0_valid); TASSIGN(x_tile, 0x00000);  // L0A 0x00000..0x10000
            XGm x_in(x + int64_t(t0) * 2048 + int64_t(h0), {t0_valid});
            TLOAD(x_tile, x_in);
            RightB16_512x512 w_tile; TASSIGN(w_tile, 0x00000);  // L0B 0x00000..0x80000
            WGm w_in(w + int64_t(h0) * 32);
            TLOAD(w_tile, w_in);
            if (h0 == 0) {
                TMATMUL(l_acc, x_tile, w_tile);
            } else {
                TMATMUL_ACC(l_acc, l_acc, x_tile, w_tile);
            }
        }
        LGm l_out(l + int64_t(t0) * 512, {t0_valid});
        TSTORE(l_out, l_acc);
    }
#endif
}
