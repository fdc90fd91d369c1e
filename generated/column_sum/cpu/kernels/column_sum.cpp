// column_sum: vector kernel of `column_sum` for cpu. Made by pyptogen; change the spec, not this file.
// stages column_sum; tiles i1 2048, i2 2; memory UB 32768 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x2048 = Tile<TileType::Vec, float, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecF32_2x2048 = Tile<TileType::Vec, float, 2, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 2048>, Stride<1, 1, 1, 4096, 1>>;
using YGm = GlobalTensor<float, Shape<1, 1, 1, 1, 2048>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void column_sum(
    __gm__ float *y,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i1 = block * 2048; i1 < 4096; i1 += nblk * 2048) {
        // y: sum(x, axis=0, keepdim=true)  [column_sum.yaml:15]
        VecF32_1x2048 total; TASSIGN(total, 0x00000);  // UB 0x00000..0x02000
        TEXPANDS(total, 0.0f);
        for (int32_t i2 = 0; i2 < rows; i2 += 2) {
            const int32_t i2_valid = rows - i2 < 2 ? rows - i2 : 2;
            VecF32_2x2048 part(i2_valid); TASSIGN(part, 0x02000);  // UB 0x02000..0x06000
            XGm x_in(x + int64_t(i2) * 4096 + int64_t(i1), {i2_valid});
            TLOAD(part, x_in);
            VecF32_1x2048 found; TASSIGN(found, 0x06000);  // UB 0x06000..0x08000
            TCOLSUM(found, part);
            TADD(total, total, found);
        }
        YGm y_out(y + int64_t(i1));
        TSTORE(y_out, total);
    }
#endif
}
