// query_absorb: cube kernel of `mla_prolog` for cpu. Made by pyptogen; change the spec, not this file.
// stages query_absorb; tiles heads 1, t 256; memory L0A 65536 B, L0B 131072 B, L0C 524288 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftB16_256x128 = TileLeft<bfloat16_t, 256, 128, DYNAMIC, 128>;
using RightB16_128x512 = TileRight<bfloat16_t, 128, 512, 128, 512>;
using AccF32_256x512 = TileAcc<float, 256, 512, DYNAMIC, 512>;
using QBGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 6144, 1>>;
using WUkGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 512>, Stride<1, 1, 1, 4096, 1>, Layout::CPU_PACKED>;
using QNopeGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 16384, 1>>;
}  // namespace

extern "C" __global__ AICORE void query_absorb(
    __gm__ bfloat16_t *q_nope,
    __gm__ bfloat16_t *q_b,
    __gm__ bfloat16_t *w_uk,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_CUBE__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 256) {
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        for (int32_t heads0 = block; heads0 < 32; heads0 += nblk) {
            // q_nope: permute(matmul(q_h, w_uk, dtype=bf16), [1, 0, 2])
            LeftB16_256x128 q_h(t0_valid); TASSIGN(q_h, 0x00000);  // L0A 0x00000..0x10000
            QBGm q_b_in(q_b + int64_t(t0) * 6144 + int64_t(heads0) * 192, {t0_valid});
            TLOAD(q_h, q_b_in);
            RightB16_128x512 w_uk_tile; TASSIGN(w_uk_tile, 0x00000);  // L0B 0x00000..0x20000
            WUkGm w_uk_in(w_uk + int64_t(heads0) * 65536);
            TLOAD(w_uk_tile, w_uk_in);
            AccF32_256x512 q_nope_1_acc(t0_valid); TASSIGN(q_nope_1_acc, 0x00000);  // L0C 0x00000..0x80000
            TMATMUL(q_nope_1_acc, q_h, w_uk_tile);
            QNopeGm q_nope_out(q_nope + int64_t(t0) * 16384 + int64_t(heads0) * 512, {t0_valid});
            TSTORE(q_nope_out, q_nope_1_acc);
        }
    }
#endif
}
