// scores: mixed kernel of `flash_attention_fp32_backward` for cpu. Made by pyptogen; change the spec, not this file.
// stages scores; tiles heads 1, kv 256, sq 256; memory L0A 131072 B, L0B 131072 B, L0C 262144 B, UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftF32_256x128 = TileLeft<float, 256, 128, DYNAMIC, 128>;
using RightF32_128x256 = TileRight<float, 128, 256, 128, DYNAMIC>;
using AccF32_256x256 = TileAcc<float, 256, 256, DYNAMIC, DYNAMIC>;
using QGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using KGm = GlobalTensor<float, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, 1, 128>, Layout::DN>;
using SGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void scores(
    __gm__ float *s,
    __gm__ float *q,
    __gm__ float *k,
    float scale,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t sq0 = sq_begin; sq0 < sq_end; sq0 += 256) {
        const int32_t sq0_valid = sq_end - sq0 < 256 ? sq_end - sq0 : 256;
        for (int32_t kv0 = 0; kv0 < kv; kv0 += 256) {
            const int32_t kv0_valid = kv - kv0 < 256 ? kv - kv0 : 256;
            for (int32_t heads0 = block; heads0 < 8; heads0 += nblk) {
                // s: matmul(q, transpose(k, -2, -1), dtype=fp32) * scale
                LeftF32_256x128 q_tile(sq0_valid); TASSIGN(q_tile, 0x00000);  // L0A 0x00000..0x20000
                QGm q_in(q + int64_t(heads0) * sq * 128 + int64_t(sq0) * 128, {sq0_valid});
                TLOAD(q_tile, q_in);
                RightF32_128x256 k_tile(kv0_valid); TASSIGN(k_tile, 0x00000);  // L0B 0x00000..0x20000
                KGm k_in(k + int64_t(heads0) * kv * 128 + int64_t(kv0) * 128, {kv0_valid});
                TLOAD(k_tile, k_in);
                AccF32_256x256 s_2_acc(sq0_valid, kv0_valid); TASSIGN(s_2_acc, 0x00000);  // L0C 0x00000..0x40000
                TMATMUL(s_2_acc, q_tile, k_tile);
                SGm s_out(s + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
                TPASS(sq0_valid, kv0_valid, [&](auto at) {
                    const auto s_2 = at.extract(s_2_acc, 0);
                    const auto s_tile = s_2 * at.all(scale);
                    at.store(s_out, s_tile);
                });
            }
        }
    }
}
