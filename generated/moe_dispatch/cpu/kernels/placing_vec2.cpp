// placing_vec2: vector kernel of `moe_dispatch` for cpu. Made by pyptogen; change the spec, not this file.
// stages placing; tiles t 64; memory UB 8224 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x8 = Tile<TileType::Vec, float, 64, 8, BLayout::RowMajor, DYNAMIC, 8>;
using VecU8_64x32_c1 = Tile<TileType::Vec, uint8_t, 64, 32, BLayout::RowMajor, DYNAMIC, 1>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 8>;
using UptoGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 8>, Stride<1, 1, 1, 8, 1>>;
using PlaceGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 8>, Stride<1, 1, 1, 8, 1>>;
}  // namespace

extern "C" __global__ AICORE void placing_vec2(
    __gm__ int32_t *place,
    __gm__ float *upto,
    __gm__ float *place_2,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 32);  // place: around the cache if large
    for (int32_t t0 = t_begin + block * 64; t0 < t_end; t0 += nblk * 64) {
        const int32_t t0_valid = t_end - t0 < 64 ? t_end - t0 : 64;
        VecF32_64x8 upto_tile(t0_valid); TASSIGN(upto_tile, 0x01000);  // UB 0x01000..0x01800
        VecF32_64x8 place_2_tile(t0_valid); TASSIGN(place_2_tile, 0x00000);  // UB 0x00000..0x00800
        VecF32_64x8 place_3_then(t0_valid); TASSIGN(place_3_then, 0x00800);  // UB 0x00800..0x01000
        UptoGm upto_in(upto + int64_t(t0) * 8, {t0_valid});
        UptoGm place_2_in(place_2 + int64_t(t0) * 8, {t0_valid});
        TPASS(t0_valid, 8, [&](auto at) {
            // place: cast(where(upto == 0, 1e9, upto - 1), int32, mode=rint)
            const auto upto_tile_v = at.load(upto_in);
            at.store(upto_tile, upto_tile_v);
            const auto place_2_tile_v = at.load(place_2_in);
            at.store(place_2_tile, place_2_tile_v);
            const auto place_3_then_v = at.all(1e+09f);
            at.store(place_3_then, place_3_then_v);
        });
        VecU8_64x32_c1 place_1_bits(t0_valid); TASSIGN(place_1_bits, 0x01800);  // UB 0x01800..0x02000
        TCMPS(place_1_bits, upto_tile, 0.0f, CmpMode::EQ);
        VecF32_64x8 place_3(t0_valid); TASSIGN(place_3, 0x01000);  // UB 0x01000..0x01800
        VecF32_1x8 place_3_tmp; TASSIGN(place_3_tmp, 0x02000);  // UB 0x02000..0x02020
        TSEL(place_3, place_1_bits, place_3_then, place_2_tile, place_3_tmp);
        PlaceGm place_out(place + int64_t(t0) * 8, {t0_valid});
        TPASS(t0_valid, 8, [&](auto at) {
            const auto place_3_v = at.load(place_3);
            at.store(place_out, place_3_v, far);
        });
    }
#endif
}
