// turn_vec5: vector kernel of `rope_cache_interleaved` for cpu. Made by pyptogen; change the spec, not this file.
// stages turn; tiles heads 1, kv_heads 1, t 32; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using QTurnedRopedGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 2048, 1>>;
using QTurnedGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 2048, 1>>;
using KTurnedRopedGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 512, 1>>;
using KTurnedGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 512, 1>>;
}  // namespace

extern "C" __global__ AICORE void turn_vec5(
    __gm__ bfloat16_t *q_turned,
    __gm__ bfloat16_t *k_turned,
    __gm__ float *q_turned_roped,
    __gm__ float *k_turned_roped,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 4096);  // q_turned: around the cache if large
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 32) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        for (int32_t heads0 = block; heads0 < 16; heads0 += nblk) {
            QTurnedRopedGm q_turned_roped_in(q_turned_roped + int64_t(t0) * 2048 + int64_t(heads0) * 128, {t0_valid});
            QTurnedGm q_turned_out(q_turned + int64_t(t0) * 2048 + int64_t(heads0) * 128, {t0_valid});
            TPASS(t0_valid, 128, [&](auto at) {
                // q_turned: rope(q, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_cache_interleaved.yaml:32]
                const auto q_turned_roped_tile = at.load(q_turned_roped_in);
                at.store(q_turned_out, q_turned_roped_tile, far);
            });
            for (int32_t kv_heads0 = 0; kv_heads0 < 4; ++kv_heads0) {
                KTurnedRopedGm k_turned_roped_in(k_turned_roped + int64_t(t0) * 512 + int64_t(kv_heads0) * 128, {t0_valid});
                KTurnedGm k_turned_out(k_turned + int64_t(t0) * 512 + int64_t(kv_heads0) * 128, {t0_valid});
                TPASS(t0_valid, 128, [&](auto at) {
                    // k_turned: rope(k, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_cache_interleaved.yaml:33]
                    const auto k_turned_roped_tile = at.load(k_turned_roped_in);
                    at.store(k_turned_out, k_turned_roped_tile);
                });
            }
        }
    }
#endif
}
