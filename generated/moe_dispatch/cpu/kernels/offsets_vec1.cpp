// offsets_vec1: vector kernel of `moe_dispatch` for cpu. Made by pyptogen; change the spec, not this file.
// stages offsets; tiles t 64; memory UB 16896 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecI32_64x64 = Tile<TileType::Vec, int32_t, 64, 64, BLayout::RowMajor, DYNAMIC, 64>;
using WithinGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 512, 1>>;
using CountGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void offsets_vec1(
    __gm__ int32_t *count,
    __gm__ int32_t *within,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // count:  sum(each, axis=0, keepdim=true)
    VecI32_1x64 count_tile; TASSIGN(count_tile, 0x00000);  // UB 0x00000..0x00100
    TEXPANDS(count_tile, 0);
    for (int32_t t0 = 0; t0 < t; t0 += 64) {
        const int32_t t0_valid = t - t0 < 64 ? t - t0 : 64;
        VecI32_64x64 each(t0_valid); TASSIGN(each, 0x00100);  // UB 0x00100..0x04100
        WithinGm within_in(within + int64_t(t0) * 512 + 448, {t0_valid});
        TLOAD(each, within_in);
        VecI32_1x64 count_part; TASSIGN(count_part, 0x04100);  // UB 0x04100..0x04200
        TCOLSUM(count_part, each);
        TADD(count_tile, count_tile, count_part);
    }
    CountGm count_out(count);
    TSTORE(count_out, count_tile);
#endif
}
