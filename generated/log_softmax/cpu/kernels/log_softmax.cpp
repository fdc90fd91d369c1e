// log_softmax: vector kernel of `log_softmax` for cpu. Made by pyptogen; change the spec, not this file.
// stages log_softmax; tiles rows 1; memory UB 33312 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x4096_r1 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, 1, 4096>;
using VecF32_8x1_r1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1>;
using VecF32_8x128_r1 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, 1, 128>;
using VecF32_1x8_c1 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 4096, 1>>;
}  // namespace

extern "C" __global__ AICORE void log_softmax(
    __gm__ float *y,
    __gm__ float *x,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t rows0 = rows_begin + block; rows0 < rows_end; rows0 += nblk) {
        // c: x - amax(x, axis=-1, keepdim=true)  [log_softmax.yaml:15]
        VecF32_8x4096_r1 x_tile; TASSIGN(x_tile, 0x00000);  // UB 0x00000..0x04000
        XGm x_in(x + int64_t(rows0) * 4096);
        TLOAD(x_tile, x_in);
        VecF32_8x1_r1 c_1; TASSIGN(c_1, 0x04000);  // UB 0x04000..0x04020
        VecF32_8x128_r1 c_1_tmp; TASSIGN(c_1_tmp, 0x04020);  // UB 0x04020..0x04220
        TROWMAX(c_1, x_tile, c_1_tmp);
        VecF32_8x4096_r1 c; TASSIGN(c, 0x00000);  // UB 0x00000..0x04000
        TROWEXPANDSUB(c, x_tile, c_1);
        // y: c - log(sum(exp(c), axis=-1, keepdim=true))  [log_softmax.yaml:16]
        VecF32_8x4096_r1 y_1; TASSIGN(y_1, 0x04000);  // UB 0x04000..0x08000
        TEXP(y_1, c);
        VecF32_8x1_r1 y_2; TASSIGN(y_2, 0x08000);  // UB 0x08000..0x08020
        VecF32_8x128_r1 y_2_tmp; TASSIGN(y_2_tmp, 0x08020);  // UB 0x08020..0x08220
        TROWSUM(y_2, y_1, y_2_tmp);
        VecF32_1x8_c1 y_3_row; TASSIGN(y_3_row, 0x04000);  // as a row, same bytes as y_3
        VecF32_1x8_c1 y_2_row; TASSIGN(y_2_row, 0x08000);  // as a row, same bytes as y_2
        TLOG(y_3_row, y_2_row);
        VecF32_8x4096_r1 y_tile; TASSIGN(y_tile, 0x00000);  // UB 0x00000..0x04000
        VecF32_8x1_r1 y_3; TASSIGN(y_3, 0x04000);  // UB 0x04000..0x04020
        TROWEXPANDSUB(y_tile, c, y_3);
        XGm y_out(y + int64_t(rows0) * 4096);
        TSTORE(y_out, y_tile);
    }
#endif
}
