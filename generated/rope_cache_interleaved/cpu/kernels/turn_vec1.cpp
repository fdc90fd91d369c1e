// turn_vec1: vector kernel of `rope_cache_interleaved` for cpu. Made by pyptogen; change the spec, not this file.
// stages turn; tiles heads 1, kv_heads 1, t 32; memory UB 49152 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_32x64 = Tile<TileType::Vec, bfloat16_t, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_32x64 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 128, 2>, Layout::DN>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 2048, 2>, Layout::DN>;
using QTurnedEvenGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 1024, 1>>;
using KGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 512, 2>, Layout::DN>;
using KTurnedEvenGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 256, 1>>;
}  // namespace

extern "C" __global__ AICORE void turn_vec1(
    __gm__ bfloat16_t *q_turned_even,
    __gm__ bfloat16_t *q_turned_odd,
    __gm__ bfloat16_t *k_turned_even,
    __gm__ bfloat16_t *k_turned_odd,
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
        // q_turned: rope(q, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_cache_interleaved.yaml:32]
        VecB16_32x64 cos_tile(t0_valid); TASSIGN(cos_tile, 0x00000);  // UB 0x00000..0x01000
        CosGm cos_in(cos + int64_t(t0) * 128, {t0_valid});
        TLOAD(cos_tile, cos_in);
        VecB16_32x64 cos_tile_2(t0_valid); TASSIGN(cos_tile_2, 0x01000);  // UB 0x01000..0x02000
        CosGm cos_in_2(cos + int64_t(t0) * 128 + 1, {t0_valid});
        TLOAD(cos_tile_2, cos_in_2);
        VecB16_32x64 sin_tile(t0_valid); TASSIGN(sin_tile, 0x02000);  // UB 0x02000..0x03000
        CosGm sin_in(sin + int64_t(t0) * 128, {t0_valid});
        TLOAD(sin_tile, sin_in);
        VecB16_32x64 sin_tile_2(t0_valid); TASSIGN(sin_tile_2, 0x03000);  // UB 0x03000..0x04000
        CosGm sin_in_2(sin + int64_t(t0) * 128 + 1, {t0_valid});
        TLOAD(sin_tile_2, sin_in_2);
        VecF32_32x64 q_turned_cos1(t0_valid); TASSIGN(q_turned_cos1, 0x04000);  // UB 0x04000..0x06000
        VecF32_32x64 q_turned_cos2(t0_valid); TASSIGN(q_turned_cos2, 0x06000);  // UB 0x06000..0x08000
        VecF32_32x64 q_turned_sin1(t0_valid); TASSIGN(q_turned_sin1, 0x08000);  // UB 0x08000..0x0a000
        VecF32_32x64 q_turned_sin2(t0_valid); TASSIGN(q_turned_sin2, 0x0a000);  // UB 0x0a000..0x0c000
        TPASS(t0_valid, 64, [&](auto at) {
            const auto cos_tile_v = at.load(cos_tile);
            at.store(q_turned_cos1, cos_tile_v);
            const auto cos_tile_2_v = at.load(cos_tile_2);
            at.store(q_turned_cos2, cos_tile_2_v);
            const auto sin_tile_v = at.load(sin_tile);
            at.store(q_turned_sin1, sin_tile_v);
            const auto sin_tile_2_v = at.load(sin_tile_2);
            at.store(q_turned_sin2, sin_tile_2_v);
        });
        for (int32_t heads0 = block; heads0 < 16; heads0 += nblk) {
            VecB16_32x64 q_tile(t0_valid); TASSIGN(q_tile, 0x00000);  // UB 0x00000..0x01000
            QGm q_in(q + int64_t(t0) * 2048 + int64_t(heads0) * 128, {t0_valid});
            TLOAD(q_tile, q_in);
            VecB16_32x64 q_tile_2(t0_valid); TASSIGN(q_tile_2, 0x01000);  // UB 0x01000..0x02000
            QGm q_in_2(q + int64_t(t0) * 2048 + int64_t(heads0) * 128 + 1, {t0_valid});
            TLOAD(q_tile_2, q_in_2);
            QTurnedEvenGm q_turned_even_out(q_turned_even + int64_t(t0) * 1024 + int64_t(heads0) * 64, {t0_valid});
            QTurnedEvenGm q_turned_odd_out(q_turned_odd + int64_t(t0) * 1024 + int64_t(heads0) * 64, {t0_valid});
            TPASS(t0_valid, 64, [&](auto at) {
                const auto q_tile_v = at.load(q_tile);
                const auto q_tile_2_v = at.load(q_tile_2);
                const auto q_turned_cos1_v = at.load(q_turned_cos1);
                const auto q_turned_x1c1 = q_tile_v * q_turned_cos1_v;
                const auto q_turned_sin1_v = at.load(q_turned_sin1);
                const auto q_turned_x2s1 = q_tile_2_v * q_turned_sin1_v;
                const auto q_turned_low = q_turned_x1c1 - q_turned_x2s1;
                const auto q_turned_cos2_v = at.load(q_turned_cos2);
                const auto q_turned_x2c2 = q_tile_2_v * q_turned_cos2_v;
                const auto q_turned_sin2_v = at.load(q_turned_sin2);
                const auto q_turned_x1s2 = q_tile_v * q_turned_sin2_v;
                const auto q_turned_high = q_turned_x2c2 + q_turned_x1s2;
                at.store(q_turned_even_out, q_turned_low);
                at.store(q_turned_odd_out, q_turned_high);
            });
            for (int32_t kv_heads0 = 0; kv_heads0 < 4; ++kv_heads0) {
                // k_turned: rope(k, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_cache_interleaved.yaml:33]
                VecB16_32x64 k_tile(t0_valid); TASSIGN(k_tile, 0x00000);  // UB 0x00000..0x01000
                KGm k_in(k + int64_t(t0) * 512 + int64_t(kv_heads0) * 128, {t0_valid});
                TLOAD(k_tile, k_in);
                VecB16_32x64 k_tile_2(t0_valid); TASSIGN(k_tile_2, 0x01000);  // UB 0x01000..0x02000
                KGm k_in_2(k + int64_t(t0) * 512 + int64_t(kv_heads0) * 128 + 1, {t0_valid});
                TLOAD(k_tile_2, k_in_2);
                KTurnedEvenGm k_turned_even_out(k_turned_even + int64_t(t0) * 256 + int64_t(kv_heads0) * 64, {t0_valid});
                KTurnedEvenGm k_turned_odd_out(k_turned_odd + int64_t(t0) * 256 + int64_t(kv_heads0) * 64, {t0_valid});
                TPASS(t0_valid, 64, [&](auto at) {
                    const auto k_tile_v = at.load(k_tile);
                    const auto k_tile_2_v = at.load(k_tile_2);
                    const auto q_turned_cos1_v = at.load(q_turned_cos1);
                    const auto k_turned_x1c1 = k_tile_v * q_turned_cos1_v;
                    const auto q_turned_sin1_v = at.load(q_turned_sin1);
                    const auto k_turned_x2s1 = k_tile_2_v * q_turned_sin1_v;
                    const auto k_turned_low = k_turned_x1c1 - k_turned_x2s1;
                    const auto q_turned_cos2_v = at.load(q_turned_cos2);
                    const auto k_turned_x2c2 = k_tile_2_v * q_turned_cos2_v;
                    const auto q_turned_sin2_v = at.load(q_turned_sin2);
                    const auto k_turned_x1s2 = k_tile_v * q_turned_sin2_v;
                    const auto k_turned_high = k_turned_x2c2 + k_turned_x1s2;
                    at.store(k_turned_even_out, k_turned_low);
                    at.store(k_turned_odd_out, k_turned_high);
                });
            }
        }
    }
#endif
}
