// turn_vec1: vector kernel of `rope_cache_interleaved` for cpu. Made by pyptogen; change the spec, not this file.
// stages turn_queries, turn_keys; tiles t 1; memory UB 7168 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_16x64 = Tile<TileType::Vec, bfloat16_t, 16, 64, BLayout::RowMajor, 16, 64>;
using VecB16_1x64 = Tile<TileType::Vec, bfloat16_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecB16_4x64 = Tile<TileType::Vec, bfloat16_t, 4, 64, BLayout::RowMajor, 4, 64>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 128, 2>, Layout::DN>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 128, 2>, Layout::DN>;
using KGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 4, 64>, Stride<1, 1, 1, 128, 2>, Layout::DN>;
using QTurnedEvenGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>>;
using KTurnedEvenGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 4, 64>, Stride<1, 1, 1, 64, 1>>;
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
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        // q_turned: rope(q, cos[:, None, :], sin[:, None, :], interleaved=true)
        VecB16_16x64 q_tile; TASSIGN(q_tile, 0x00000);  // UB 0x00000..0x00800
        QGm q_in(q + int64_t(t0) * 2048);
        TLOAD(q_tile, q_in);
        VecB16_16x64 q_tile_2; TASSIGN(q_tile_2, 0x00800);  // UB 0x00800..0x01000
        QGm q_in_2(q + int64_t(t0) * 2048 + 1);
        TLOAD(q_tile_2, q_in_2);
        VecB16_1x64 cos_tile; TASSIGN(cos_tile, 0x01000);  // UB 0x01000..0x01080
        CosGm cos_in(cos + int64_t(t0) * 128);
        TLOAD(cos_tile, cos_in);
        VecB16_1x64 cos_tile_2; TASSIGN(cos_tile_2, 0x01080);  // UB 0x01080..0x01100
        CosGm cos_in_2(cos + int64_t(t0) * 128 + 1);
        TLOAD(cos_tile_2, cos_in_2);
        VecB16_1x64 sin_tile; TASSIGN(sin_tile, 0x01100);  // UB 0x01100..0x01180
        CosGm sin_in(sin + int64_t(t0) * 128);
        TLOAD(sin_tile, sin_in);
        VecB16_1x64 sin_tile_2; TASSIGN(sin_tile_2, 0x01180);  // UB 0x01180..0x01200
        CosGm sin_in_2(sin + int64_t(t0) * 128 + 1);
        TLOAD(sin_tile_2, sin_in_2);
        // k_turned: rope(k, cos[:, None, :], sin[:, None, :], interleaved=true)
        VecB16_4x64 k_tile; TASSIGN(k_tile, 0x01200);  // UB 0x01200..0x01400
        KGm k_in(k + int64_t(t0) * 512);
        TLOAD(k_tile, k_in);
        VecB16_4x64 k_tile_2; TASSIGN(k_tile_2, 0x01400);  // UB 0x01400..0x01600
        KGm k_in_2(k + int64_t(t0) * 512 + 1);
        TLOAD(k_tile_2, k_in_2);
        VecB16_1x64 cos_tile_3; TASSIGN(cos_tile_3, 0x01600);  // UB 0x01600..0x01680
        CosGm cos_in_3(cos + int64_t(t0) * 128);
        TLOAD(cos_tile_3, cos_in_3);
        VecB16_1x64 cos_tile_4; TASSIGN(cos_tile_4, 0x01680);  // UB 0x01680..0x01700
        CosGm cos_in_4(cos + int64_t(t0) * 128 + 1);
        TLOAD(cos_tile_4, cos_in_4);
        VecB16_1x64 sin_tile_3; TASSIGN(sin_tile_3, 0x01700);  // UB 0x01700..0x01780
        CosGm sin_in_3(sin + int64_t(t0) * 128);
        TLOAD(sin_tile_3, sin_in_3);
        VecB16_1x64 sin_tile_4; TASSIGN(sin_tile_4, 0x01780);  // UB 0x01780..0x01800
        CosGm sin_in_4(sin + int64_t(t0) * 128 + 1);
        TLOAD(sin_tile_4, sin_in_4);
        VecF32_1x64 q_turned_cos1; TASSIGN(q_turned_cos1, 0x01800);  // UB 0x01800..0x01900
        VecF32_1x64 q_turned_cos2; TASSIGN(q_turned_cos2, 0x01900);  // UB 0x01900..0x01a00
        VecF32_1x64 q_turned_sin1; TASSIGN(q_turned_sin1, 0x01a00);  // UB 0x01a00..0x01b00
        VecF32_1x64 q_turned_sin2; TASSIGN(q_turned_sin2, 0x01b00);  // UB 0x01b00..0x01c00
        TPASS(1, 64, [&](auto at) {
            // q_turned: rope(q, cos[:, None, :], sin[:, None, :], interleaved=true)
            const auto cos_tile_v = at.load(cos_tile);
            at.store(q_turned_cos1, cos_tile_v);
            const auto cos_tile_2_v = at.load(cos_tile_2);
            at.store(q_turned_cos2, cos_tile_2_v);
            const auto sin_tile_v = at.load(sin_tile);
            at.store(q_turned_sin1, sin_tile_v);
            const auto sin_tile_2_v = at.load(sin_tile_2);
            at.store(q_turned_sin2, sin_tile_2_v);
        });
        QTurnedEvenGm q_turned_even_out(q_turned_even + int64_t(t0) * 1024);
        QTurnedEvenGm q_turned_odd_out(q_turned_odd + int64_t(t0) * 1024);
        TPASS(16, 64, [&](auto at) {
            const auto q_tile_v = at.load(q_tile);
            const auto q_tile_2_v = at.load(q_tile_2);
            const auto q_turned_x1c1 = q_tile_v * at.row(q_turned_cos1);
            const auto q_turned_x2s1 = q_tile_2_v * at.row(q_turned_sin1);
            const auto q_turned_low = q_turned_x1c1 - q_turned_x2s1;
            const auto q_turned_x2c2 = q_tile_2_v * at.row(q_turned_cos2);
            const auto q_turned_x1s2 = q_tile_v * at.row(q_turned_sin2);
            const auto q_turned_high = q_turned_x2c2 + q_turned_x1s2;
            at.store(q_turned_even_out, q_turned_low);
            at.store(q_turned_odd_out, q_turned_high);
        });
        VecF32_1x64 k_turned_cos1; TASSIGN(k_turned_cos1, 0x00000);  // UB 0x00000..0x00100
        VecF32_1x64 k_turned_cos2; TASSIGN(k_turned_cos2, 0x00100);  // UB 0x00100..0x00200
        VecF32_1x64 k_turned_sin1; TASSIGN(k_turned_sin1, 0x00200);  // UB 0x00200..0x00300
        VecF32_1x64 k_turned_sin2; TASSIGN(k_turned_sin2, 0x00300);  // UB 0x00300..0x00400
        TPASS(1, 64, [&](auto at) {
            // k_turned: rope(k, cos[:, None, :], sin[:, None, :], interleaved=true)
            const auto cos_tile_3_v = at.load(cos_tile_3);
            at.store(k_turned_cos1, cos_tile_3_v);
            const auto cos_tile_4_v = at.load(cos_tile_4);
            at.store(k_turned_cos2, cos_tile_4_v);
            const auto sin_tile_3_v = at.load(sin_tile_3);
            at.store(k_turned_sin1, sin_tile_3_v);
            const auto sin_tile_4_v = at.load(sin_tile_4);
            at.store(k_turned_sin2, sin_tile_4_v);
        });
        KTurnedEvenGm k_turned_even_out(k_turned_even + int64_t(t0) * 256);
        KTurnedEvenGm k_turned_odd_out(k_turned_odd + int64_t(t0) * 256);
        TPASS(4, 64, [&](auto at) {
            const auto k_tile_v = at.load(k_tile);
            const auto k_tile_2_v = at.load(k_tile_2);
            const auto k_turned_x1c1 = k_tile_v * at.row(k_turned_cos1);
            const auto k_turned_x2s1 = k_tile_2_v * at.row(k_turned_sin1);
            const auto k_turned_low = k_turned_x1c1 - k_turned_x2s1;
            const auto k_turned_x2c2 = k_tile_2_v * at.row(k_turned_cos2);
            const auto k_turned_x1s2 = k_tile_v * at.row(k_turned_sin2);
            const auto k_turned_high = k_turned_x2c2 + k_turned_x1s2;
            at.store(k_turned_even_out, k_turned_low);
            at.store(k_turned_odd_out, k_turned_high);
        });
    }
#endif
}
