// offsets_vec1: vector kernel of `moe_dispatch` for cpu. Made by pyptogen; change the spec, not this file.
// stages offsets; tiles i2 64, once 1; memory UB 16896 B
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
    for (int32_t once = block; once < 1; once += nblk) {
        // count:  sum(each, axis=0, keepdim=true)
        VecI32_1x64 total; TASSIGN(total, 0x00000);  // UB 0x00000..0x00100
        TEXPANDS(total, 0);
        for (int32_t i2 = 0; i2 < t; i2 += 64) {
            const int32_t i2_valid = t - i2 < 64 ? t - i2 : 64;
            VecI32_64x64 part(i2_valid); TASSIGN(part, 0x00100);  // UB 0x00100..0x04100
            WithinGm within_in(within + int64_t(i2) * 512 + 448, {i2_valid});
            TLOAD(part, within_in);
            VecI32_1x64 found; TASSIGN(found, 0x04100);  // UB 0x04100..0x04200
            TCOLSUM(found, part);
            TADD(total, total, found);
        }
        CountGm count_out(count);
        TSTORE(count_out, total);
    }
#endif
}
