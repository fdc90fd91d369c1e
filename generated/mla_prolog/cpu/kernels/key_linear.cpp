// key_linear: cube kernel of `mla_prolog` for cpu. Made by pyptogen; change the spec, not this file.
// stages key_linear; tiles h 1024, t 256; memory L0A 524288 B, L0B 1048576 B, L0C 524288 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_256x512 = TileAcc<float, 256, 512, DYNAMIC, 512>;
using LeftB16_256x1024 = TileLeft<bfloat16_t, 256, 1024, DYNAMIC, 1024>;
using RightB16_1024x512 = TileRight<bfloat16_t, 1024, 512, 1024, 512>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 7168, 1>>;
using WDkvGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1024, 512>, Stride<1, 1, 1, 229376, 1>, Layout::CPU_PACKED>;
using KvFGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 512, 1>>;
}  // namespace

extern "C" __global__ AICORE void key_linear(
    __gm__ float *kv_f,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *w_dkv,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_CUBE__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block * 256; t0 < t_end; t0 += nblk * 256) {
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        AccF32_256x512 kv_f_acc(t0_valid); TASSIGN(kv_f_acc, 0x00000);  // L0C 0x00000..0x80000
        for (int32_t h0 = 0; h0 < 7168; h0 += 1024) {
            // kv_f: matmul(x, w_dkv, dtype=fp32)
            LeftB16_256x1024 x_tile(t0_valid); TASSIGN(x_tile, 0x00000);  // L0A 0x00000..0x80000
            XGm x_in(x + int64_t(t0) * 7168 + int64_t(h0), {t0_valid});
            TLOAD(x_tile, x_in);
            RightB16_1024x512 w_dkv_tile; TASSIGN(w_dkv_tile, 0x00000);  // L0B 0x00000..0x100000
            WDkvGm w_dkv_in(w_dkv + int64_t(h0) * 32);
            TLOAD(w_dkv_tile, w_dkv_in);
            if (h0 == 0) {
                TMATMUL(kv_f_acc, x_tile, w_dkv_tile);
            } else {
                TMATMUL_ACC(kv_f_acc, kv_f_acc, x_tile, w_dkv_tile);
            }
        }
        KvFGm kv_f_out(kv_f + int64_t(t0) * 512, {t0_valid});
        TSTORE(kv_f_out, kv_f_acc);
    }
#endif
}
