// column_sum: vector kernel of `column_sum` for cpu. Made by pyptogen; change the spec, not this file.
// stages column_sum; tiles rows 8; memory UB 32768 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x4096 = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, 4096>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 4096>, Stride<1, 1, 1, 4096, 1>>;
using YGm = GlobalTensor<float, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void column_sum(
    __gm__ float *y,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // y: sum(x, axis=0, keepdim=true)
    VecF32_1x4096 y_tile; TASSIGN(y_tile, 0x00000);  // UB 0x00000..0x04000
    TEXPANDS(y_tile, 0.0f);
    for (int32_t rows0 = 0; rows0 < rows; rows0 += 8) {
        const int32_t rows0_valid = rows - rows0 < 8 ? rows - rows0 : 8;
        VecF32_1x4096 y_part; TASSIGN(y_part, 0x04000);  // UB 0x04000..0x08000
        XGm x_in(x + int64_t(rows0) * 4096, {rows0_valid});
        TPASS(rows0_valid, 4096, [&](auto at, auto &y_part_sum) {
            const auto x_tile = at.load(x_in);
            y_part_sum.take(at, x_tile);
        }, ColSum(y_part));
        TADD(y_tile, y_tile, y_part);
    }
    YGm y_out(y);
    TSTORE(y_out, y_tile);
#endif
}
