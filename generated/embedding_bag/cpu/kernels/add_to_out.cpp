// add_to_out: vector kernel of `embedding_bag` for cpu. Made by pyptogen; change the spec, not this file.
// stages add, out; tiles bag 1, t 64; memory UB 49408 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecB16_64x128 = Tile<TileType::Vec, bfloat16_t, 64, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using PlaceGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, DYNAMIC>, Layout::DN>;
using TableGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using ThereGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void add_to_out(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *table,
    __gm__ int32_t *place,
    __gm__ float *there,
    int32_t t_begin,
    int32_t t_end,
    int32_t bag,
    int32_t vocabulary,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 256);  // y: around the cache if large
    for (int32_t t0 = t_begin + block * 64; t0 < t_end; t0 += nblk * 64) {
        const int32_t t0_valid = t_end - t0 < 64 ? t_end - t0 : 64;
        // total: full([t, h], 0, fp32)
        VecF32_64x128 total(t0_valid); TASSIGN(total, 0x00000);  // UB 0x00000..0x08000
        TEXPANDS(total, 0.0f);
        for (int32_t bag0 = 0; bag0 < bag; ++bag0) {
            // total: total + cast(row, fp32) * there[:, bag]
            VecI32_1x64 place_places(t0_valid); TASSIGN(place_places, 0x08000);  // UB 0x08000..0x08100
            PlaceGm place_in(place + int64_t(bag) * t0 + int64_t(bag0), {t0_valid}, {int64_t(bag)});
            TLOAD(place_places, place_in);
            VecB16_64x128 row(t0_valid); TASSIGN(row, 0x08100);  // UB 0x08100..0x0c100
            TableGm table_in(table, {vocabulary});
            MGATHER(row, table_in, place_places);
            VecF32_64x1 there_tile(t0_valid); TASSIGN(there_tile, 0x08000);  // UB 0x08000..0x08100
            ThereGm there_in(there + int64_t(bag) * t0 + int64_t(bag0), {t0_valid}, {int64_t(bag)});
            TLOAD(there_tile, there_in);
            TPASS(t0_valid, 128, [&](auto at) {
                const auto row_v = at.load(row);
                const auto total_2 = row_v * at.column(there_tile);
                const auto total_v = at.load(total);
                const auto total_v_2 = total_v + total_2;
                at.store(total, total_v_2);
            });
        }
        TableGm y_out(y + int64_t(t0) * 128, {t0_valid});
        TPASS(t0_valid, 128, [&](auto at) {
            // y: cast(total, bf16)
            const auto total_v = at.load(total);
            at.store(y_out, total_v, far);
        });
    }
#endif
}
