// placing_vec1: vector kernel of `moe_dispatch` for cpu. Made by pyptogen; change the spec, not this file.
// stages placing; tiles t 1; memory UB 6912 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecI32_8x64_r1 = Tile<TileType::Vec, int32_t, 8, 64, BLayout::RowMajor, 1, 64>;
using VecI32_8x64 = Tile<TileType::Vec, int32_t, 8, 64, BLayout::RowMajor, 8, 64>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 8, 1>;
using VecF32_8x8_r1 = Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 1, 8>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 8>;
using BeforeGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;
using AheadGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 64, 1>>;
using WithinGm = GlobalTensor<int32_t, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, 64, 1>>;
using UptoGm = GlobalTensor<float, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 0, 1>>;
using Place2Gm = GlobalTensor<float, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 8, 1>>;
}  // namespace

extern "C" __global__ AICORE void placing_vec1(
    __gm__ float *upto,
    __gm__ float *place_2,
    __gm__ int32_t *ahead,
    __gm__ int32_t *before,
    __gm__ int32_t *within,
    __gm__ int32_t *chosen,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // rank:  within + reshape(ahead + before, [t, 1, experts])
    VecI32_1x64 before_tile; TASSIGN(before_tile, 0x00000);  // UB 0x00000..0x00100
    BeforeGm before_in(before);
    TLOAD(before_tile, before_in);
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        VecI32_8x64_r1 ahead_tile; TASSIGN(ahead_tile, 0x00100);  // UB 0x00100..0x00200
        AheadGm ahead_in(ahead + int64_t(t0) * 64);
        TLOAD(ahead_tile, ahead_in);
        VecI32_8x64_r1 rank_1; TASSIGN(rank_1, 0x00200);  // UB 0x00200..0x00300
        TCOLEXPANDADD(rank_1, ahead_tile, before_tile);
        VecI32_8x64 within_tile; TASSIGN(within_tile, 0x00300);  // UB 0x00300..0x00b00
        WithinGm within_in(within + int64_t(t0) * 512);
        TLOAD(within_tile, within_in);
        VecI32_8x64 rank; TASSIGN(rank, 0x00b00);  // UB 0x00b00..0x01300
        TCOLEXPANDADD(rank, within_tile, rank_1);
        // upto:  sum(cast(chosen * rank, fp32), axis=-1)
        VecI32_8x64 chosen_tile; TASSIGN(chosen_tile, 0x00100);  // UB 0x00100..0x00900
        WithinGm chosen_in(chosen + int64_t(t0) * 512);
        TLOAD(chosen_tile, chosen_in);
        VecI32_8x64 upto_1; TASSIGN(upto_1, 0x01300);  // UB 0x01300..0x01b00
        TMUL(upto_1, chosen_tile, rank);
        VecF32_8x1 upto_3; TASSIGN(upto_3, 0x00100);  // UB 0x00100..0x00120
        TPASS(8, 64, [&](auto at, auto &upto_3_sum) {
            const auto upto_1_v = at.load(upto_1);
            const auto upto_2 = at.to_float(upto_1_v);
            upto_3_sum.take(at, upto_2);
        }, RowSum(upto_3));
        // place: cast(where(upto == 0, 1e9, upto - 1), int32, mode=rint)
        VecF32_8x8_r1 place_2_tile; TASSIGN(place_2_tile, 0x00140);  // UB 0x00140..0x00160
        VecF32_1x8 upto_3_row; TASSIGN(upto_3_row, 0x00100);  // as a row, same bytes as upto_3
        TSUBS(place_2_tile, upto_3_row, 1.0f);
        // upto:  sum(cast(chosen * rank, fp32), axis=-1)
        UptoGm upto_out(upto + int64_t(t0) * 8);
        TSTORE(upto_out, upto_3_row);
        // place: cast(where(upto == 0, 1e9, upto - 1), int32, mode=rint)
        Place2Gm place_2_out(place_2 + int64_t(t0) * 8);
        TSTORE(place_2_out, place_2_tile);
    }
#endif
}
