// query_down: cube kernel of `mla_indexer_prolog` for cpu. Made by pyptogen; change the spec, not this file.
// stages query_down; tiles q_rank 128, t 256; memory L0A 3670016 B, L0B 1835008 B, L0C 131072 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftB16_256x7168 = TileLeft<bfloat16_t, 256, 7168, DYNAMIC, 7168>;
using RightB16_7168x128 = TileRight<bfloat16_t, 7168, 128, 7168, 128>;
using AccF32_256x128 = TileAcc<float, 256, 128, DYNAMIC, 128>;
using XNGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 7168>, Stride<1, 1, 1, 7168, 1>>;
using WDqGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 7168, 128>, Stride<1, 1, 1, 229376, 1>, Layout::CPU_PACKED>;
using QCGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 1536, 1>>;
}  // namespace

extern "C" __global__ AICORE void query_down(
    __gm__ float *q_c,
    __gm__ bfloat16_t *x_n,
    __gm__ bfloat16_t *w_dq,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_CUBE__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 256) {
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        // q_c: matmul(x_n, w_dq, dtype=fp32)
        LeftB16_256x7168 x_n_tile(t0_valid); TASSIGN(x_n_tile, 0x00000);  // L0A 0x00000..0x380000
        XNGm x_n_in(x_n + int64_t(t0) * 7168, {t0_valid});
        TLOAD(x_n_tile, x_n_in);
        for (int32_t q_rank0 = block * 128; q_rank0 < 1536; q_rank0 += nblk * 128) {
            RightB16_7168x128 w_dq_tile; TASSIGN(w_dq_tile, 0x00000);  // L0B 0x00000..0x1c0000
            WDqGm w_dq_in(w_dq + int64_t(q_rank0) * 7168);
            TLOAD(w_dq_tile, w_dq_in);
            AccF32_256x128 q_c_acc(t0_valid); TASSIGN(q_c_acc, 0x00000);  // L0C 0x00000..0x20000
            TMATMUL(q_c_acc, x_n_tile, w_dq_tile);
            QCGm q_c_out(q_c + int64_t(t0) * 1536 + int64_t(q_rank0), {t0_valid});
            TSTORE(q_c_out, q_c_acc);
        }
    }
#endif
}
