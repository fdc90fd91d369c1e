// along_columns_vec1: vector kernel of `reductions` for cpu. Made by pyptogen; change the spec, not this file.
// stages along_columns; tiles i2 8, once 1; memory UB 4096 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x512 = Tile<TileType::Vec, float, 1, 512, BLayout::RowMajor, 1, 512>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 512, 1>>;
using ColumnTotalGm = GlobalTensor<float, Shape<1, 1, 1, 1, 512>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void along_columns_vec1(
    __gm__ float *column_total,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t once = block; once < 1; once += nblk) {
        // column_total: sum(x, axis=0)
        VecF32_1x512 total_2; TASSIGN(total_2, 0x00000);  // UB 0x00000..0x00800
        TEXPANDS(total_2, 0.0f);
        for (int32_t i2 = 0; i2 < rows; i2 += 8) {
            const int32_t i2_valid = rows - i2 < 8 ? rows - i2 : 8;
            VecF32_1x512 found; TASSIGN(found, 0x00800);  // UB 0x00800..0x01000
            XGm x_in(x + int64_t(i2) * 512, {i2_valid});
            TPASS(i2_valid, 512, [&](auto at, auto &found_sum) {
                const auto part = at.load(x_in);
                found_sum.take(at, part);
            }, ColSum(found));
            TADD(total_2, total_2, found);
        }
        ColumnTotalGm column_total_out(column_total);
        TSTORE(column_total_out, total_2);
    }
#endif
}
