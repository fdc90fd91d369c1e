// turn: vector kernel of `rope_cache` for cpu. Made by pyptogen; change the spec, not this file.
// stages turn_queries, turn_keys; tiles t 1; memory UB 1024 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_1x128_c64 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 64>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 128, 1>>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 128, 1>>;
using KGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 4, 64>, Stride<1, 1, 1, 128, 1>>;
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
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        VecF32_1x128 q_turned_cos; TASSIGN(q_turned_cos, 0x00000);  // UB 0x00000..0x00200
        VecF32_1x128 q_turned_sin; TASSIGN(q_turned_sin, 0x00200);  // UB 0x00200..0x00400
        CosGm cos_in(cos + int64_t(t0) * 128);
        CosGm sin_in(sin + int64_t(t0) * 128);
        TPASS(1, 128, [&](auto at) {
            // q_turned: rope(q, cos[:, None, :], sin[:, None, :])
            const auto cos_tile = at.load(cos_in);
            at.store(q_turned_cos, cos_tile);
            const auto sin_tile = at.load(sin_in);
            at.store(q_turned_sin, sin_tile);
        });
        VecF32_1x128_c64 q_turned_cos1; TASSIGN(q_turned_cos1, 0x00000);  // columns 0.. of q_turned_cos
        VecF32_1x128_c64 q_turned_sin1; TASSIGN(q_turned_sin1, 0x00200);  // columns 0.. of q_turned_sin
        VecF32_1x128_c64 q_turned_cos2; TASSIGN(q_turned_cos2, 0x00100);  // columns 64.. of q_turned_cos
        VecF32_1x128_c64 q_turned_sin2; TASSIGN(q_turned_sin2, 0x00300);  // columns 64.. of q_turned_sin
        QGm q_in(q + int64_t(t0) * 2048);
        QGm q_in_2(q + int64_t(t0) * 2048 + 64);
        QGm q_turned_out(q_turned + int64_t(t0) * 2048);
        QGm q_turned_out_2(q_turned + int64_t(t0) * 2048 + 64);
        TPASS(16, 64, [&](auto at) {
            const auto q_tile_1 = at.load(q_in);
            const auto q_tile_2 = at.load(q_in_2);
            const auto q_turned_x1c1 = q_tile_1 * at.row(q_turned_cos1);
            const auto q_turned_x2s1 = q_tile_2 * at.row(q_turned_sin1);
            const auto q_turned_low = q_turned_x1c1 - q_turned_x2s1;
            const auto q_turned_x2c2 = q_tile_2 * at.row(q_turned_cos2);
            const auto q_turned_x1s2 = q_tile_1 * at.row(q_turned_sin2);
            const auto q_turned_high = q_turned_x2c2 + q_turned_x1s2;
            at.store(q_turned_out, q_turned_low, far);
            at.store(q_turned_out_2, q_turned_high, far);
        });
        VecF32_1x128 k_turned_cos; TASSIGN(k_turned_cos, 0x00000);  // UB 0x00000..0x00200
        VecF32_1x128 k_turned_sin; TASSIGN(k_turned_sin, 0x00200);  // UB 0x00200..0x00400
        CosGm cos_in_2(cos + int64_t(t0) * 128);
        CosGm sin_in_2(sin + int64_t(t0) * 128);
        TPASS(1, 128, [&](auto at) {
            // k_turned: rope(k, cos[:, None, :], sin[:, None, :])
            const auto cos_tile_2 = at.load(cos_in_2);
            at.store(k_turned_cos, cos_tile_2);
            const auto sin_tile_2 = at.load(sin_in_2);
            at.store(k_turned_sin, sin_tile_2);
        });
        VecF32_1x128_c64 k_turned_cos1; TASSIGN(k_turned_cos1, 0x00000);  // columns 0.. of k_turned_cos
        VecF32_1x128_c64 k_turned_sin1; TASSIGN(k_turned_sin1, 0x00200);  // columns 0.. of k_turned_sin
        VecF32_1x128_c64 k_turned_cos2; TASSIGN(k_turned_cos2, 0x00100);  // columns 64.. of k_turned_cos
        VecF32_1x128_c64 k_turned_sin2; TASSIGN(k_turned_sin2, 0x00300);  // columns 64.. of k_turned_sin
        KGm k_in(k + int64_t(t0) * 512);
        KGm k_in_2(k + int64_t(t0) * 512 + 64);
        KGm k_turned_out(k_turned + int64_t(t0) * 512);
        KGm k_turned_out_2(k_turned + int64_t(t0) * 512 + 64);
        TPASS(4, 64, [&](auto at) {
            const auto k_tile_1 = at.load(k_in);
            const auto k_tile_2 = at.load(k_in_2);
            const auto k_turned_x1c1 = k_tile_1 * at.row(k_turned_cos1);
            const auto k_turned_x2s1 = k_tile_2 * at.row(k_turned_sin1);
            const auto k_turned_low = k_turned_x1c1 - k_turned_x2s1;
            const auto k_turned_x2c2 = k_tile_2 * at.row(k_turned_cos2);
            const auto k_turned_x1s2 = k_tile_1 * at.row(k_turned_sin2);
            const auto k_turned_high = k_turned_x2c2 + k_turned_x1s2;
            at.store(k_turned_out, k_turned_low);
            at.store(k_turned_out_2, k_turned_high);
        });
    }
#endif
}
