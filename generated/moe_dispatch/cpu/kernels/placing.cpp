// placing: vector kernel of `moe_dispatch` for cpu. Made by pyptogen; change the spec, not this file.
// stages placing; tiles t 1; memory UB 6400 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecI32_8x64 = Tile<TileType::Vec, int32_t, 8, 64, BLayout::RowMajor, 8, 64>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 8, 1>;
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 8>;
using BeforeGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;
using UptoGm = GlobalTensor<int32_t, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, 64, 1>>;
using PlaceGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 0, 1>>;
}  // namespace

extern "C" __global__ AICORE void placing(
    __gm__ int32_t *place,
    __gm__ int32_t *upto,
    __gm__ int32_t *before,
    __gm__ int32_t *chosen,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // after: sum(cast(chosen * (upto + before), fp32), axis=-1, keepdim=true)
    VecI32_1x64 before_tile; TASSIGN(before_tile, 0x00000);  // UB 0x00000..0x00100
    BeforeGm before_in(before);
    TLOAD(before_tile, before_in);
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        VecI32_8x64 upto_tile; TASSIGN(upto_tile, 0x00100);  // UB 0x00100..0x00900
        UptoGm upto_in(upto + int64_t(t0) * 512);
        TLOAD(upto_tile, upto_in);
        VecI32_8x64 after_1; TASSIGN(after_1, 0x00900);  // UB 0x00900..0x01100
        TCOLEXPANDADD(after_1, upto_tile, before_tile);
        VecI32_8x64 chosen_tile; TASSIGN(chosen_tile, 0x00100);  // UB 0x00100..0x00900
        UptoGm chosen_in(chosen + int64_t(t0) * 512);
        TLOAD(chosen_tile, chosen_in);
        VecI32_8x64 after_2; TASSIGN(after_2, 0x01100);  // UB 0x01100..0x01900
        TMUL(after_2, chosen_tile, after_1);
        VecF32_8x1 after; TASSIGN(after, 0x00100);  // UB 0x00100..0x00120
        TPASS(8, 64, [&](auto at, auto &after_sum) {
            const auto after_2_v = at.load(after_2);
            const auto after_3 = at.to_float(after_2_v);
            after_sum.take(at, after_3);
        }, RowSum(after));
        // place: reshape(cast(after, int32, mode=rint) - 1, [t, k])
        VecI32_1x8 place_1_row; TASSIGN(place_1_row, 0x00140);  // as a row, same bytes as place_1
        VecF32_1x8 after_row; TASSIGN(after_row, 0x00100);  // as a row, same bytes as after
        TCVT(place_1_row, after_row, RoundMode::CAST_RINT);
        VecI32_1x8 place_2_row; TASSIGN(place_2_row, 0x00100);  // as a row, same bytes as place_2
        TSUBS(place_2_row, place_1_row, 1);
        PlaceGm place_out(place + int64_t(t0) * 8);
        TSTORE(place_out, place_2_row);
    }
#endif
}
