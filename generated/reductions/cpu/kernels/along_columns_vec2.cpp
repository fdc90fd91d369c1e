// along_columns_vec2: vector kernel of `reductions` for cpu. Made by pyptogen; change the spec, not this file.
// stages along_columns; tiles rows 8; memory UB 4096 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x512 = Tile<TileType::Vec, float, 1, 512, BLayout::RowMajor, 1, 512>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 512, 1>>;
using ColumnLargestGm = GlobalTensor<float, Shape<1, 1, 1, 1, 512>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void along_columns_vec2(
    __gm__ float *column_largest,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // column_largest: amax(x, axis=0)
    VecF32_1x512 column_largest_1; TASSIGN(column_largest_1, 0x00000);  // UB 0x00000..0x00800
    TEXPANDS(column_largest_1, -__builtin_inff());
    for (int32_t rows0 = 0; rows0 < rows; rows0 += 8) {
        const int32_t rows0_valid = rows - rows0 < 8 ? rows - rows0 : 8;
        VecF32_1x512 column_largest_1_part; TASSIGN(column_largest_1_part, 0x00800);  // UB 0x00800..0x01000
        XGm x_in(x + int64_t(rows0) * 512, {rows0_valid});
        TPASS(rows0_valid, 512, [&](auto at, auto &column_largest_1_part_max) {
            const auto x_tile = at.load(x_in);
            column_largest_1_part_max.take(at, x_tile);
        }, ColMax(column_largest_1_part));
        TMAX(column_largest_1, column_largest_1, column_largest_1_part);
    }
    ColumnLargestGm column_largest_out(column_largest);
    TSTORE(column_largest_out, column_largest_1);
#endif
}
