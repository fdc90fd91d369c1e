// of_weights: cube kernel of `flash_attention_fp32_backward` for cpu. Made by pyptogen; change the spec, not this file.
// stages of_weights; tiles heads 1, kv 256, sq 256; memory L0A 131072 B, L0B 131072 B, L0C 262144 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftF32_256x128 = TileLeft<float, 256, 128, DYNAMIC, 128>;
using RightF32_128x256 = TileRight<float, 128, 256, 128, DYNAMIC>;
using AccF32_256x256 = TileAcc<float, 256, 256, DYNAMIC, DYNAMIC>;
using DOGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using VGm = GlobalTensor<float, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, 1, 128>, Layout::DN>;
using DPGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void of_weights(
    __gm__ float *d_p,
    __gm__ float *d_o,
    __gm__ float *v,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
    int32_t nblk)
{
#if defined(__DAV_CUBE__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t sq0 = sq_begin; sq0 < sq_end; sq0 += 256) {
        const int32_t sq0_valid = sq_end - sq0 < 256 ? sq_end - sq0 : 256;
        for (int32_t kv0 = 0; kv0 < kv; kv0 += 256) {
            const int32_t kv0_valid = kv - kv0 < 256 ? kv - kv0 : 256;
            for (int32_t heads0 = block; heads0 < 8; heads0 += nblk) {
                // d_p: matmul(d_o, transpose(v, -2, -1), dtype=fp32)
                LeftF32_256x128 d_o_tile(sq0_valid); TASSIGN(d_o_tile, 0x00000);  // L0A 0x00000..0x20000
                DOGm d_o_in(d_o + int64_t(heads0) * sq * 128 + int64_t(sq0) * 128, {sq0_valid});
                TLOAD(d_o_tile, d_o_in);
                RightF32_128x256 v_tile(kv0_valid); TASSIGN(v_tile, 0x00000);  // L0B 0x00000..0x20000
                VGm v_in(v + int64_t(heads0) * kv * 128 + int64_t(kv0) * 128, {kv0_valid});
                TLOAD(v_tile, v_in);
                AccF32_256x256 d_p_acc(sq0_valid, kv0_valid); TASSIGN(d_p_acc, 0x00000);  // L0C 0x00000..0x40000
                TMATMUL(d_p_acc, d_o_tile, v_tile);
                DPGm d_p_out(d_p + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
                TSTORE(d_p_out, d_p_acc);
            }
        }
    }
#endif
}
