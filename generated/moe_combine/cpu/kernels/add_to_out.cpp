// add_to_out: vector kernel of `moe_combine` for cpu. Made by pyptogen; change the spec, not this file.
// stages add, out; tiles k 1, t 4; memory UB 16608 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x1024 = Tile<TileType::Vec, float, 8, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using VecF32_8x8 = Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, DYNAMIC, 8>;
using VecF32_8x8_r1 = Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 1, 8>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using SharedGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 1024, 1>>;
using WeightGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 8>, Stride<1, 1, 1, 8, 1>>;
using EGm = GlobalTensor<float, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 8, 1>>;
}  // namespace

extern "C" __global__ AICORE void add_to_out(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *shared,
    __gm__ float *weight,
    __gm__ float *e,
    __gm__ bfloat16_t *picked,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 2048);  // y: around the cache if large
    for (int32_t t0 = t_begin + block * 4; t0 < t_end; t0 += nblk * 4) {
        const int32_t t0_valid = t_end - t0 < 4 ? t_end - t0 : 4;
        VecF32_8x1024 total(t0_valid); TASSIGN(total, 0x00000);  // UB 0x00000..0x04000
        SharedGm shared_in(shared + int64_t(t0) * 1024, {t0_valid});
        TPASS(t0_valid, 1024, [&](auto at) {
            // total: cast(shared, fp32)  [moe_combine.yaml:29]
            const auto shared_tile = at.load(shared_in);
            at.store(total, shared_tile);
        });
        // w: sum(weight * e[k], axis=-1, keepdim=true)  [moe_combine.yaml:31]
        VecF32_8x8 weight_tile(t0_valid); TASSIGN(weight_tile, 0x04000);  // UB 0x04000..0x04080
        WeightGm weight_in(weight + int64_t(t0) * 8, {t0_valid});
        TLOAD(weight_tile, weight_in);
        for (int32_t k0 = 0; k0 < 8; ++k0) {
            VecF32_8x8_r1 e_tile; TASSIGN(e_tile, 0x04080);  // UB 0x04080..0x040a0
            EGm e_in(e + int64_t(k0) * 8);
            TLOAD(e_tile, e_in);
            VecF32_8x1 w(t0_valid); TASSIGN(w, 0x040c0);  // UB 0x040c0..0x040e0
            TPASS(t0_valid, 8, [&](auto at, auto &w_sum) {
                const auto weight_tile_v = at.load(weight_tile);
                const auto w_1 = weight_tile_v * at.row(e_tile);
                w_sum.take(at, w_1);
            }, RowSum(w));
            SharedGm picked_in(picked + int64_t(k0) * t * 1024 + int64_t(t0) * 1024, {t0_valid});
            TPASS(t0_valid, 1024, [&](auto at) {
                // total: total + cast(reshape(picked[k], [t, h]), fp32) * w  [moe_combine.yaml:33]
                const auto picked_tile = at.load(picked_in);
                const auto total_3 = picked_tile * at.column(w);
                const auto total_v = at.load(total);
                const auto total_v_2 = total_v + total_3;
                at.store(total, total_v_2);
            });
        }
        SharedGm y_out(y + int64_t(t0) * 1024, {t0_valid});
        TPASS(t0_valid, 1024, [&](auto at) {
            // y: cast(total, bf16)  [moe_combine.yaml:35]
            const auto total_v = at.load(total);
            at.store(y_out, total_v, far);
        });
    }
#endif
}
