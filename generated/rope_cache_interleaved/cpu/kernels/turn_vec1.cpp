// turn_vec1: vector kernel of `rope_cache_interleaved` for cpu. Made by pyptogen; change the spec, not this file.
// stages turn; tiles heads 1, kv_heads 1, t 32; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using QTurnedCosGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 2048, 1>>;
using QTurnedXGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 2048, 1>>;
using KGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 512, 1>>;
using KTurnedXGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 512, 1>>;
}  // namespace

extern "C" __global__ AICORE void turn_vec1(
    __gm__ float *q_turned_x,
    __gm__ float *q_turned_cos,
    __gm__ float *q_turned_sin,
    __gm__ float *k_turned_x,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    __gm__ bfloat16_t *k,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 32) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        CosGm cos_in(cos + int64_t(t0) * 128, {t0_valid});
        QTurnedCosGm q_turned_cos_out(q_turned_cos + int64_t(t0) * 128, {t0_valid});
        CosGm sin_in(sin + int64_t(t0) * 128, {t0_valid});
        QTurnedCosGm q_turned_sin_out(q_turned_sin + int64_t(t0) * 128, {t0_valid});
        TPASS(t0_valid, 128, [&](auto at) {
            // q_turned: rope(q, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_cache_interleaved.yaml:32]
            const auto cos_tile = at.load(cos_in);
            at.store(q_turned_cos_out, cos_tile);
            const auto sin_tile = at.load(sin_in);
            at.store(q_turned_sin_out, sin_tile);
        });
        for (int32_t heads0 = block; heads0 < 16; heads0 += nblk) {
            QGm q_in(q + int64_t(t0) * 2048 + int64_t(heads0) * 128, {t0_valid});
            QTurnedXGm q_turned_x_out(q_turned_x + int64_t(t0) * 2048 + int64_t(heads0) * 128, {t0_valid});
            TPASS(t0_valid, 128, [&](auto at) {
                const auto q_tile = at.load(q_in);
                at.store(q_turned_x_out, q_tile);
            });
            for (int32_t kv_heads0 = 0; kv_heads0 < 4; ++kv_heads0) {
                KGm k_in(k + int64_t(t0) * 512 + int64_t(kv_heads0) * 128, {t0_valid});
                KTurnedXGm k_turned_x_out(k_turned_x + int64_t(t0) * 512 + int64_t(kv_heads0) * 128, {t0_valid});
                TPASS(t0_valid, 128, [&](auto at) {
                    // k_turned: rope(k, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_cache_interleaved.yaml:33]
                    const auto k_tile = at.load(k_in);
                    at.store(k_turned_x_out, k_tile);
                });
            }
        }
    }
#endif
}
