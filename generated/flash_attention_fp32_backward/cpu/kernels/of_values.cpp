// of_values: cube kernel of `flash_attention_fp32_backward` for cpu. Made by pyptogen; change the spec, not this file.
// stages of_values; tiles heads 1, kv 256, sq 2048; memory L0A 2097152 B, L0B 1048576 B, L0C 131072 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_256x128 = TileAcc<float, 256, 128, DYNAMIC, 128>;
using LeftF32_256x2048 = TileLeft<float, 256, 2048, DYNAMIC, DYNAMIC>;
using RightF32_2048x128 = TileRight<float, 2048, 128, DYNAMIC, 128>;
using PGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 1, DYNAMIC>, Layout::DN>;
using DOGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void of_values(
    __gm__ float *d_v,
    __gm__ float *p,
    __gm__ float *d_o,
    int32_t sq,
    int32_t kv,
    int32_t nblk)
{
#if defined(__DAV_CUBE__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t kv0 = 0; kv0 < kv; kv0 += 256) {
        const int32_t kv0_valid = kv - kv0 < 256 ? kv - kv0 : 256;
        for (int32_t heads0 = block; heads0 < 8; heads0 += nblk) {
            AccF32_256x128 d_v_acc(kv0_valid); TASSIGN(d_v_acc, 0x00000);  // L0C 0x00000..0x20000
            for (int32_t sq0 = 0; sq0 < sq; sq0 += 2048) {
                const int32_t sq0_valid = sq - sq0 < 2048 ? sq - sq0 : 2048;
                // d_v: matmul(transpose(p, -2, -1), d_o, dtype=fp32)
                LeftF32_256x2048 p_tile(kv0_valid, sq0_valid); TASSIGN(p_tile, 0x00000);  // L0A 0x00000..0x200000
                PGm p_in(p + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {kv0_valid, sq0_valid}, {int64_t(kv)});
                TLOAD(p_tile, p_in);
                RightF32_2048x128 d_o_tile(sq0_valid); TASSIGN(d_o_tile, 0x00000);  // L0B 0x00000..0x100000
                DOGm d_o_in(d_o + int64_t(heads0) * sq * 128 + int64_t(sq0) * 128, {sq0_valid});
                TLOAD(d_o_tile, d_o_in);
                if (sq0 == 0) {
                    TMATMUL(d_v_acc, p_tile, d_o_tile);
                } else {
                    TMATMUL_ACC(d_v_acc, d_v_acc, p_tile, d_o_tile);
                }
            }
            DOGm d_v_out(d_v + int64_t(heads0) * kv * 128 + int64_t(kv0) * 128, {kv0_valid});
            TSTORE(d_v_out, d_v_acc);
        }
    }
#endif
}
