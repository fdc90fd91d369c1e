// query_down: cube kernel of `mla_prolog` for cpu. Made by pyptogen; change the spec, not this file.
// stages query_down; tiles h 512, t 256; memory L0A 262144 B, L0B 1572864 B, L0C 1572864 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_256x1536 = TileAcc<float, 256, 1536, DYNAMIC, 1536>;
using LeftB16_256x512 = TileLeft<bfloat16_t, 256, 512, DYNAMIC, 512>;
using RightB16_512x1536 = TileRight<bfloat16_t, 512, 1536, 512, 1536>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 7168, 1>>;
using WDqGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 512, 1536>, Stride<1, 1, 1, 229376, 1>, Layout::CPU_PACKED>;
using QCGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1536>, Stride<1, 1, 1, 1536, 1>>;
}  // namespace

extern "C" __global__ AICORE void query_down(
    __gm__ float *q_c,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *w_dq,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_CUBE__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block * 256; t0 < t_end; t0 += nblk * 256) {
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        AccF32_256x1536 q_c_acc(t0_valid); TASSIGN(q_c_acc, 0x00000);  // L0C 0x00000..0x180000
        for (int32_t h0 = 0; h0 < 7168; h0 += 512) {
            // q_c: matmul(x, w_dq, dtype=fp32)
            LeftB16_256x512 x_tile(t0_valid); TASSIGN(x_tile, 0x00000);  // L0A 0x00000..0x40000
            XGm x_in(x + int64_t(t0) * 7168 + int64_t(h0), {t0_valid});
            TLOAD(x_tile, x_in);
            RightB16_512x1536 w_dq_tile; TASSIGN(w_dq_tile, 0x00000);  // L0B 0x00000..0x180000
            WDqGm w_dq_in(w_dq + int64_t(h0) * 32);
            TLOAD(w_dq_tile, w_dq_in);
            if (h0 == 0) {
                TMATMUL(q_c_acc, x_tile, w_dq_tile);
            } else {
                TMATMUL_ACC(q_c_acc, q_c_acc, x_tile, w_dq_tile);
            }
        }
        QCGm q_c_out(q_c + int64_t(t0) * 1536, {t0_valid});
        TSTORE(q_c_out, q_c_acc);
    }
#endif
}
