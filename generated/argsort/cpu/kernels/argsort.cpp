// argsort: vector kernel of `argsort` for cpu. Made by pyptogen; change the spec, not this file.
// stages argsort; tiles rows 1; memory UB 83200 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x4096 = Tile<TileType::Vec, int32_t, 1, 4096, BLayout::RowMajor, 1, 4096>;
using VecI32_1x16704 = Tile<TileType::Vec, int32_t, 1, 16704, BLayout::RowMajor, 1, 16704>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 4096, 1>>;
using YGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 4096, 1>>;
}  // namespace

extern "C" __global__ AICORE void argsort(
    __gm__ int32_t *y,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t rows0 = block; rows0 < rows; rows0 += nblk) {
        // y: argsort(x)
        VecI32_1x4096 positions; TASSIGN(positions, 0x00000);  // UB 0x00000..0x04000
        VecI32_1x16704 candidates; TASSIGN(candidates, 0x04000);  // UB 0x04000..0x14500
        XGm x_in(x + int64_t(rows0) * 4096);
        TBOTTOMK(positions, x_in, candidates);
        YGm y_out(y + int64_t(rows0) * 4096);
        TSTORE(y_out, positions);
    }
#endif
}
