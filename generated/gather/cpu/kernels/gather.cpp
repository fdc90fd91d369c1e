// gather: vector kernel of `gather` for cpu. Made by pyptogen; change the spec, not this file.
// stages gather; tiles rows 1; memory UB 1024 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x128 = Tile<TileType::Vec, int32_t, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using IndexGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 128, 1>>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, 1, 1024>, Stride<1, 1, 1, 1024, 1>>;
using YGm = GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void gather(
    __gm__ float *y,
    __gm__ float *x,
    __gm__ int32_t *index,
    int32_t rows,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t rows0 = block; rows0 < rows; rows0 += nblk) {
        // y: gather(x, 1, index)
        VecI32_1x128 index_tile; TASSIGN(index_tile, 0x00000);  // UB 0x00000..0x00200
        IndexGm index_in(index + int64_t(rows0) * 128);
        TLOAD(index_tile, index_in);
        VecF32_1x128 taken_; TASSIGN(taken_, 0x00200);  // UB 0x00200..0x00400
        XGm x_in(x + int64_t(rows0) * 1024);
        MGATHER(taken_, x_in, index_tile);
        YGm y_out(y + int64_t(rows0) * 128);
        TSTORE(y_out, taken_);
    }
#endif
}
