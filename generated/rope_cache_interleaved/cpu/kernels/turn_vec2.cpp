// turn_vec2: vector kernel of `rope_cache_interleaved` for cpu. Made by pyptogen; change the spec, not this file.
// stages turn; tiles heads 1, kv_heads 1, t 32; memory UB 49152 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_32x64 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using QTurnedCosGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 128, 2>, Layout::DN>;
using QTurnedXGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 2048, 2>, Layout::DN>;
using QTurnedLowGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 1024, 1>>;
using KTurnedXGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 512, 2>, Layout::DN>;
using KTurnedLowGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 256, 1>>;
}  // namespace

extern "C" __global__ AICORE void turn_vec2(
    __gm__ float *q_turned_low,
    __gm__ float *q_turned_high,
    __gm__ float *k_turned_low,
    __gm__ float *k_turned_high,
    __gm__ float *q_turned_x,
    __gm__ float *q_turned_cos,
    __gm__ float *q_turned_sin,
    __gm__ float *k_turned_x,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 32) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        // q_turned: rope(q, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_cache_interleaved.yaml:32]
        VecF32_32x64 q_turned_cos_tile(t0_valid); TASSIGN(q_turned_cos_tile, 0x00000);  // UB 0x00000..0x02000
        QTurnedCosGm q_turned_cos_in(q_turned_cos + int64_t(t0) * 128, {t0_valid});
        TLOAD(q_turned_cos_tile, q_turned_cos_in);
        VecF32_32x64 q_turned_sin_tile(t0_valid); TASSIGN(q_turned_sin_tile, 0x02000);  // UB 0x02000..0x04000
        QTurnedCosGm q_turned_sin_in(q_turned_sin + int64_t(t0) * 128, {t0_valid});
        TLOAD(q_turned_sin_tile, q_turned_sin_in);
        VecF32_32x64 q_turned_cos_tile_2(t0_valid); TASSIGN(q_turned_cos_tile_2, 0x04000);  // UB 0x04000..0x06000
        QTurnedCosGm q_turned_cos_in_2(q_turned_cos + int64_t(t0) * 128 + 1, {t0_valid});
        TLOAD(q_turned_cos_tile_2, q_turned_cos_in_2);
        VecF32_32x64 q_turned_sin_tile_2(t0_valid); TASSIGN(q_turned_sin_tile_2, 0x06000);  // UB 0x06000..0x08000
        QTurnedCosGm q_turned_sin_in_2(q_turned_sin + int64_t(t0) * 128 + 1, {t0_valid});
        TLOAD(q_turned_sin_tile_2, q_turned_sin_in_2);
        for (int32_t heads0 = block; heads0 < 16; heads0 += nblk) {
            VecF32_32x64 q_turned_x_tile(t0_valid); TASSIGN(q_turned_x_tile, 0x08000);  // UB 0x08000..0x0a000
            QTurnedXGm q_turned_x_in(q_turned_x + int64_t(t0) * 2048 + int64_t(heads0) * 128, {t0_valid});
            TLOAD(q_turned_x_tile, q_turned_x_in);
            VecF32_32x64 q_turned_x_tile_2(t0_valid); TASSIGN(q_turned_x_tile_2, 0x0a000);  // UB 0x0a000..0x0c000
            QTurnedXGm q_turned_x_in_2(q_turned_x + int64_t(t0) * 2048 + int64_t(heads0) * 128 + 1, {t0_valid});
            TLOAD(q_turned_x_tile_2, q_turned_x_in_2);
            QTurnedLowGm q_turned_low_out(q_turned_low + int64_t(t0) * 1024 + int64_t(heads0) * 64, {t0_valid});
            QTurnedLowGm q_turned_high_out(q_turned_high + int64_t(t0) * 1024 + int64_t(heads0) * 64, {t0_valid});
            TPASS(t0_valid, 64, [&](auto at) {
                const auto q_turned_x_tile_v = at.load(q_turned_x_tile);
                const auto q_turned_cos_tile_v = at.load(q_turned_cos_tile);
                const auto q_turned_x1c1 = q_turned_x_tile_v * q_turned_cos_tile_v;
                const auto q_turned_x_tile_2_v = at.load(q_turned_x_tile_2);
                const auto q_turned_sin_tile_v = at.load(q_turned_sin_tile);
                const auto q_turned_x2s1 = q_turned_x_tile_2_v * q_turned_sin_tile_v;
                const auto q_turned_low_tile = q_turned_x1c1 - q_turned_x2s1;
                at.store(q_turned_low_out, q_turned_low_tile);
                const auto q_turned_cos_tile_2_v = at.load(q_turned_cos_tile_2);
                const auto q_turned_x2c2 = q_turned_x_tile_2_v * q_turned_cos_tile_2_v;
                const auto q_turned_sin_tile_2_v = at.load(q_turned_sin_tile_2);
                const auto q_turned_x1s2 = q_turned_x_tile_v * q_turned_sin_tile_2_v;
                const auto q_turned_high_tile = q_turned_x2c2 + q_turned_x1s2;
                at.store(q_turned_high_out, q_turned_high_tile);
            });
            for (int32_t kv_heads0 = 0; kv_heads0 < 4; ++kv_heads0) {
                // k_turned: rope(k, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_cache_interleaved.yaml:33]
                VecF32_32x64 k_turned_x_tile(t0_valid); TASSIGN(k_turned_x_tile, 0x08000);  // UB 0x08000..0x0a000
                KTurnedXGm k_turned_x_in(k_turned_x + int64_t(t0) * 512 + int64_t(kv_heads0) * 128, {t0_valid});
                TLOAD(k_turned_x_tile, k_turned_x_in);
                VecF32_32x64 k_turned_x_tile_2(t0_valid); TASSIGN(k_turned_x_tile_2, 0x0a000);  // UB 0x0a000..0x0c000
                KTurnedXGm k_turned_x_in_2(k_turned_x + int64_t(t0) * 512 + int64_t(kv_heads0) * 128 + 1, {t0_valid});
                TLOAD(k_turned_x_tile_2, k_turned_x_in_2);
                KTurnedLowGm k_turned_low_out(k_turned_low + int64_t(t0) * 256 + int64_t(kv_heads0) * 64, {t0_valid});
                KTurnedLowGm k_turned_high_out(k_turned_high + int64_t(t0) * 256 + int64_t(kv_heads0) * 64, {t0_valid});
                TPASS(t0_valid, 64, [&](auto at) {
                    const auto k_turned_x_tile_v = at.load(k_turned_x_tile);
                    const auto q_turned_cos_tile_v = at.load(q_turned_cos_tile);
                    const auto k_turned_x1c1 = k_turned_x_tile_v * q_turned_cos_tile_v;
                    const auto k_turned_x_tile_2_v = at.load(k_turned_x_tile_2);
                    const auto q_turned_sin_tile_v = at.load(q_turned_sin_tile);
                    const auto k_turned_x2s1 = k_turned_x_tile_2_v * q_turned_sin_tile_v;
                    const auto k_turned_low_tile = k_turned_x1c1 - k_turned_x2s1;
                    const auto q_turned_cos_tile_2_v = at.load(q_turned_cos_tile_2);
                    const auto k_turned_x2c2 = k_turned_x_tile_2_v * q_turned_cos_tile_2_v;
                    const auto q_turned_sin_tile_2_v = at.load(q_turned_sin_tile_2);
                    const auto k_turned_x1s2 = k_turned_x_tile_v * q_turned_sin_tile_2_v;
                    const auto k_turned_high_tile = k_turned_x2c2 + k_turned_x1s2;
                    at.store(k_turned_low_out, k_turned_low_tile);
                    at.store(k_turned_high_out, k_turned_high_tile);
                });
            }
        }
    }
#endif
}
