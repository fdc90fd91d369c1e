// add_to_out: vector kernel of `moe_combine` for cpu. Made by pyptogen; change the spec, not this file.
// stages add, out; tiles k 1, t 4; memory UB 24640 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x1024 = Tile<TileType::Vec, float, 8, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecB16_8x1024 = Tile<TileType::Vec, bfloat16_t, 8, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using SharedGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 1024, 1>>;
using PlaceGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 8>, Layout::DN>;
using WeightGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, 8, 1>>;
}  // namespace

extern "C" __global__ AICORE void add_to_out(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *shared,
    __gm__ bfloat16_t *rows,
    __gm__ int32_t *place,
    __gm__ float *weight,
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
            // total: cast(shared, fp32)
            const auto shared_tile = at.load(shared_in);
            at.store(total, shared_tile);
        });
        for (int32_t k0 = 0; k0 < 8; ++k0) {
            // total: total + cast(row, fp32) * weight[:, k]
            VecI32_1x8 place_places(t0_valid); TASSIGN(place_places, 0x04000);  // UB 0x04000..0x04020
            PlaceGm place_in(place + int64_t(t0) * 8 + int64_t(k0), {t0_valid});
            TLOAD(place_places, place_in);
            VecB16_8x1024 row(t0_valid); TASSIGN(row, 0x04040);  // UB 0x04040..0x06040
            SharedGm rows_in(rows, {t * 8});
            MGATHER(row, rows_in, place_places);
            VecF32_8x1 weight_tile(t0_valid); TASSIGN(weight_tile, 0x04000);  // UB 0x04000..0x04020
            WeightGm weight_in(weight + int64_t(t0) * 8 + int64_t(k0), {t0_valid});
            TLOAD(weight_tile, weight_in);
            TPASS(t0_valid, 1024, [&](auto at) {
                const auto row_v = at.load(row);
                const auto total_2 = row_v * at.column(weight_tile);
                const auto total_v = at.load(total);
                const auto total_v_2 = total_v + total_2;
                at.store(total, total_v_2);
            });
        }
        SharedGm y_out(y + int64_t(t0) * 1024, {t0_valid});
        TPASS(t0_valid, 1024, [&](auto at) {
            // y: cast(total, bf16)
            const auto total_v = at.load(total);
            at.store(y_out, total_v, far);
        });
    }
#endif
}
