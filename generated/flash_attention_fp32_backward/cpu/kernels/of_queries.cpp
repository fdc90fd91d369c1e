// of_queries: cube kernel of `flash_attention_fp32_backward` for cpu. Made by pyptogen; change the spec, not this file.
// stages of_queries; tiles heads 1, kv 2048, sq 256; memory L0A 2097152 B, L0B 1048576 B, L0C 131072 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_256x128 = TileAcc<float, 256, 128, DYNAMIC, 128>;
using LeftF32_256x2048 = TileLeft<float, 256, 2048, DYNAMIC, DYNAMIC>;
using RightF32_2048x128 = TileRight<float, 2048, 128, DYNAMIC, 128>;
using DSGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using KGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void of_queries(
    __gm__ float *d_q,
    __gm__ float *d_s,
    __gm__ float *k,
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
        for (int32_t heads0 = block; heads0 < 8; heads0 += nblk) {
            AccF32_256x128 d_q_acc(sq0_valid); TASSIGN(d_q_acc, 0x00000);  // L0C 0x00000..0x20000
            for (int32_t kv0 = 0; kv0 < kv; kv0 += 2048) {
                const int32_t kv0_valid = kv - kv0 < 2048 ? kv - kv0 : 2048;
                // d_q: matmul(d_s, k, dtype=fp32)
                LeftF32_256x2048 d_s_tile(sq0_valid, kv0_valid); TASSIGN(d_s_tile, 0x00000);  // L0A 0x00000..0x200000
                DSGm d_s_in(d_s + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
                TLOAD(d_s_tile, d_s_in);
                RightF32_2048x128 k_tile(kv0_valid); TASSIGN(k_tile, 0x00000);  // L0B 0x00000..0x100000
                KGm k_in(k + int64_t(heads0) * kv * 128 + int64_t(kv0) * 128, {kv0_valid});
                TLOAD(k_tile, k_in);
                if (kv0 == 0) {
                    TMATMUL(d_q_acc, d_s_tile, k_tile);
                } else {
                    TMATMUL_ACC(d_q_acc, d_q_acc, d_s_tile, k_tile);
                }
            }
            KGm d_q_out(d_q + int64_t(heads0) * sq * 128 + int64_t(sq0) * 128, {sq0_valid});
            TSTORE(d_q_out, d_q_acc);
        }
    }
#endif
}
