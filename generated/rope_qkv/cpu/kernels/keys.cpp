// keys: vector kernel of `rope_qkv` for cpu. Made by pyptogen; change the spec, not this file.
// stages keys; tiles t 1; memory UB 1024 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_1x128_c64 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 64>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 128, 1>>;
using QkvGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void keys(
    __gm__ bfloat16_t *k,
    __gm__ bfloat16_t *qkv,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 12288);  // k: around the cache if large
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        VecF32_1x128 k_cos; TASSIGN(k_cos, 0x00000);  // UB 0x00000..0x00200
        VecF32_1x128 k_sin; TASSIGN(k_sin, 0x00200);  // UB 0x00200..0x00400
        CosGm cos_in(cos + int64_t(t0) * 128);
        CosGm sin_in(sin + int64_t(t0) * 128);
        TPASS(1, 128, [&](auto at) {
            // k: rope(reshape(qkv[:, heads * d:(heads + kv_heads) * d], [t, kv_heads, d]), cos[:, None, :], sin[:, None, :])
            const auto cos_tile = at.load(cos_in);
            at.store(k_cos, cos_tile);
            const auto sin_tile = at.load(sin_in);
            at.store(k_sin, sin_tile);
        });
        VecF32_1x128_c64 k_cos1; TASSIGN(k_cos1, 0x00000);  // columns 0.. of k_cos
        VecF32_1x128_c64 k_sin1; TASSIGN(k_sin1, 0x00200);  // columns 0.. of k_sin
        VecF32_1x128_c64 k_cos2; TASSIGN(k_cos2, 0x00100);  // columns 64.. of k_cos
        VecF32_1x128_c64 k_sin2; TASSIGN(k_sin2, 0x00300);  // columns 64.. of k_sin
        QkvGm qkv_in(qkv + int64_t(t0) * 6144 + 4096);
        QkvGm qkv_in_2(qkv + int64_t(t0) * 6144 + 4160);
        QkvGm k_out(k + int64_t(t0) * 6144);
        QkvGm k_out_2(k + int64_t(t0) * 6144 + 64);
        TPASS(8, 64, [&](auto at) {
            const auto qkv_tile_1 = at.load(qkv_in);
            const auto qkv_tile_2 = at.load(qkv_in_2);
            const auto k_x1c1 = qkv_tile_1 * at.row(k_cos1);
            const auto k_x2s1 = qkv_tile_2 * at.row(k_sin1);
            const auto k_low = k_x1c1 - k_x2s1;
            const auto k_x2c2 = qkv_tile_2 * at.row(k_cos2);
            const auto k_x1s2 = qkv_tile_1 * at.row(k_sin2);
            const auto k_high = k_x2c2 + k_x1s2;
            at.store(k_out, k_low, far);
            at.store(k_out_2, k_high, far);
        });
    }
#endif
}
