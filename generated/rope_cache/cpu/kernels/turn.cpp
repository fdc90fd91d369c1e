// turn: vector kernel of `rope_cache` for cpu. Made by pyptogen; change the spec, not this file.
// stages turn; tiles heads 1, kv_heads 1, t 32; memory UB 65536 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_32x128_c64 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 64>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 2048, 1>>;
using KGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 512, 1>>;
}  // namespace

extern "C" __global__ AICORE void turn(
    __gm__ bfloat16_t *q_turned,
    __gm__ bfloat16_t *k_turned,
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
    const FarStores far(int64_t(t_end - t_begin) * 4096);  // q_turned: around the cache if large
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 32) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        VecF32_32x128 q_turned_cos(t0_valid); TASSIGN(q_turned_cos, 0x00000);  // UB 0x00000..0x04000
        VecF32_32x128 q_turned_sin(t0_valid); TASSIGN(q_turned_sin, 0x04000);  // UB 0x04000..0x08000
        CosGm cos_in(cos + int64_t(t0) * 128, {t0_valid});
        CosGm sin_in(sin + int64_t(t0) * 128, {t0_valid});
        TPASS(t0_valid, 128, [&](auto at) {
            // q_turned: rope(q, cos[:, None, :], sin[:, None, :])  [rope_cache.yaml:32]
            const auto cos_tile = at.load(cos_in);
            at.store(q_turned_cos, cos_tile);
            const auto sin_tile = at.load(sin_in);
            at.store(q_turned_sin, sin_tile);
        });
        for (int32_t heads0 = block; heads0 < 16; heads0 += nblk) {
            VecF32_32x128 q_turned_x(t0_valid); TASSIGN(q_turned_x, 0x08000);  // UB 0x08000..0x0c000
            QGm q_in(q + int64_t(t0) * 2048 + int64_t(heads0) * 128, {t0_valid});
            TPASS(t0_valid, 128, [&](auto at) {
                const auto q_tile = at.load(q_in);
                at.store(q_turned_x, q_tile);
            });
            VecF32_32x128_c64 q_turned_x1(t0_valid); TASSIGN(q_turned_x1, 0x08000);  // columns 0.. of q_turned_x
            VecF32_32x128_c64 q_turned_cos1(t0_valid); TASSIGN(q_turned_cos1, 0x00000);  // columns 0.. of q_turned_cos
            VecF32_32x128_c64 q_turned_x2(t0_valid); TASSIGN(q_turned_x2, 0x08100);  // columns 64.. of q_turned_x
            VecF32_32x128_c64 q_turned_sin1(t0_valid); TASSIGN(q_turned_sin1, 0x04000);  // columns 0.. of q_turned_sin
            VecF32_32x128_c64 q_turned_low(t0_valid); TASSIGN(q_turned_low, 0x0c000);  // columns 0.. of q_turned_roped
            VecF32_32x128_c64 q_turned_cos2(t0_valid); TASSIGN(q_turned_cos2, 0x00100);  // columns 64.. of q_turned_cos
            VecF32_32x128_c64 q_turned_sin2(t0_valid); TASSIGN(q_turned_sin2, 0x04100);  // columns 64.. of q_turned_sin
            VecF32_32x128_c64 q_turned_high(t0_valid); TASSIGN(q_turned_high, 0x0c100);  // columns 64.. of q_turned_roped
            TPASS(t0_valid, 64, [&](auto at) {
                const auto q_turned_x1_v = at.load(q_turned_x1);
                const auto q_turned_cos1_v = at.load(q_turned_cos1);
                const auto q_turned_x1c1 = q_turned_x1_v * q_turned_cos1_v;
                const auto q_turned_x2_v = at.load(q_turned_x2);
                const auto q_turned_sin1_v = at.load(q_turned_sin1);
                const auto q_turned_x2s1 = q_turned_x2_v * q_turned_sin1_v;
                const auto q_turned_low_v = q_turned_x1c1 - q_turned_x2s1;
                at.store(q_turned_low, q_turned_low_v);
                const auto q_turned_cos2_v = at.load(q_turned_cos2);
                const auto q_turned_x2c2 = q_turned_x2_v * q_turned_cos2_v;
                const auto q_turned_sin2_v = at.load(q_turned_sin2);
                const auto q_turned_x1s2 = q_turned_x1_v * q_turned_sin2_v;
                const auto q_turned_high_v = q_turned_x2c2 + q_turned_x1s2;
                at.store(q_turned_high, q_turned_high_v);
            });
            VecF32_32x128 q_turned_roped(t0_valid); TASSIGN(q_turned_roped, 0x0c000);  // UB 0x0c000..0x10000
            QGm q_turned_out(q_turned + int64_t(t0) * 2048 + int64_t(heads0) * 128, {t0_valid});
            TPASS(t0_valid, 128, [&](auto at) {
                const auto q_turned_roped_v = at.load(q_turned_roped);
                at.store(q_turned_out, q_turned_roped_v, far);
            });
            for (int32_t kv_heads0 = 0; kv_heads0 < 4; ++kv_heads0) {
                VecF32_32x128 k_turned_x(t0_valid); TASSIGN(k_turned_x, 0x08000);  // UB 0x08000..0x0c000
                KGm k_in(k + int64_t(t0) * 512 + int64_t(kv_heads0) * 128, {t0_valid});
                TPASS(t0_valid, 128, [&](auto at) {
                    // k_turned: rope(k, cos[:, None, :], sin[:, None, :])  [rope_cache.yaml:33]
                    const auto k_tile = at.load(k_in);
                    at.store(k_turned_x, k_tile);
                });
                VecF32_32x128_c64 k_turned_x1(t0_valid); TASSIGN(k_turned_x1, 0x08000);  // columns 0.. of k_turned_x
                VecF32_32x128_c64 k_turned_x2(t0_valid); TASSIGN(k_turned_x2, 0x08100);  // columns 64.. of k_turned_x
                VecF32_32x128_c64 k_turned_low(t0_valid); TASSIGN(k_turned_low, 0x0c000);  // columns 0.. of k_turned_roped
                VecF32_32x128_c64 k_turned_high(t0_valid); TASSIGN(k_turned_high, 0x0c100);  // columns 64.. of k_turned_roped
                TPASS(t0_valid, 64, [&](auto at) {
                    const auto k_turned_x1_v = at.load(k_turned_x1);
                    const auto q_turned_cos1_v = at.load(q_turned_cos1);
                    const auto k_turned_x1c1 = k_turned_x1_v * q_turned_cos1_v;
                    const auto k_turned_x2_v = at.load(k_turned_x2);
                    const auto q_turned_sin1_v = at.load(q_turned_sin1);
                    const auto k_turned_x2s1 = k_turned_x2_v * q_turned_sin1_v;
                    const auto k_turned_low_v = k_turned_x1c1 - k_turned_x2s1;
                    at.store(k_turned_low, k_turned_low_v);
                    const auto q_turned_cos2_v = at.load(q_turned_cos2);
                    const auto k_turned_x2c2 = k_turned_x2_v * q_turned_cos2_v;
                    const auto q_turned_sin2_v = at.load(q_turned_sin2);
                    const auto k_turned_x1s2 = k_turned_x1_v * q_turned_sin2_v;
                    const auto k_turned_high_v = k_turned_x2c2 + k_turned_x1s2;
                    at.store(k_turned_high, k_turned_high_v);
                });
                VecF32_32x128 k_turned_roped(t0_valid); TASSIGN(k_turned_roped, 0x0c000);  // UB 0x0c000..0x10000
                KGm k_turned_out(k_turned + int64_t(t0) * 512 + int64_t(kv_heads0) * 128, {t0_valid});
                TPASS(t0_valid, 128, [&](auto at) {
                    const auto k_turned_roped_v = at.load(k_turned_roped);
                    at.store(k_turned_out, k_turned_roped_v);
                });
            }
        }
    }
#endif
}
