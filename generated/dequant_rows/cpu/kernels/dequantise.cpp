// dequantise: vector kernel of `dequant_rows` for cpu. Made by pyptogen; change the spec, not this file.
// stages dequantise; tiles rows 16; memory UB 98368 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_16x1024 = Tile<TileType::Vec, int32_t, 16, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_16x1024 = Tile<TileType::Vec, float, 16, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecB16_16x1024 = Tile<TileType::Vec, bfloat16_t, 16, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using AccGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 1024, 1>>;
using ScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 1024, 1>>;
}  // namespace

extern "C" __global__ AICORE void dequantise(
    __gm__ bfloat16_t *y,
    __gm__ int32_t *acc,
    __gm__ float *scale,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i0 = rows_begin + block * 16; i0 < rows_end; i0 += nblk * 16) {
        const int32_t i0_valid = rows_end - i0 < 16 ? rows_end - i0 : 16;
        // TLOAD(at, acc[16*i:16*i+16, :])
        VecI32_16x1024 at(i0_valid); TASSIGN(at, 0x00000);  // UB 0x00000..0x10000
        AccGm acc_in(acc + int64_t(i0) * 1024, {i0_valid});
        TLOAD(at, acc_in);
        // TLOAD(st_row, scale[16*i:16*i+16, 0])
        VecF32_1x16 st_row(i0_valid); TASSIGN(st_row, 0x18000);  // UB 0x18000..0x18040
        ScaleGm scale_in(scale + int64_t(i0), {i0_valid});
        TLOAD(st_row, scale_in);
        // TCVT(ft, at, rint)
        VecF32_16x1024 ft(i0_valid); TASSIGN(ft, 0x00000);  // UB 0x00000..0x10000
        TCVT(ft, at, RoundMode::CAST_RINT);
        // TROWEXPANDMUL(ft, ft, st)
        VecF32_16x1 st(i0_valid); TASSIGN(st, 0x18000);  // UB 0x18000..0x18040
        TROWEXPANDMUL(ft, ft, st);
        // TCVT(yt, ft, rint)
        VecB16_16x1024 yt(i0_valid); TASSIGN(yt, 0x10000);  // UB 0x10000..0x18000
        TCVT(yt, ft, RoundMode::CAST_RINT);
        // TSTORE(y[16*i:16*i+16, :], yt)
        YGm y_out(y + int64_t(i0) * 1024, {i0_valid});
        TSTORE(y_out, yt);
    }
#endif
}
