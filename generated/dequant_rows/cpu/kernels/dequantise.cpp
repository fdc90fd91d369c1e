// dequantise: vector kernel of `dequant_rows` for cpu. Made by pyptogen; change the spec, not this file.
// stages dequantise; tiles rows 16; memory UB 64 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, DYNAMIC, 1>;
using ScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using AccGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 1024, 1>>;
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
    const FarStores far(int64_t(rows_end - rows_begin) * 2048);  // y: around the cache if large
    for (int32_t i0 = rows_begin + block * 16; i0 < rows_end; i0 += nblk * 16) {
        const int32_t i0_valid = rows_end - i0 < 16 ? rows_end - i0 : 16;
        // TLOAD(st_row, scale[16*i:16*i+16, 0])  [dequant_rows.yaml:36]
        VecF32_1x16 st_row(i0_valid); TASSIGN(st_row, 0x00000);  // UB 0x00000..0x00040
        ScaleGm scale_in(scale + int64_t(i0), {i0_valid});
        TLOAD(st_row, scale_in);
        VecF32_16x1 st(i0_valid); TASSIGN(st, 0x00000);  // UB 0x00000..0x00040
        AccGm acc_in(acc + int64_t(i0) * 1024, {i0_valid});
        YGm y_out(y + int64_t(i0) * 1024, {i0_valid});
        TPASS(i0_valid, 1024, [&](auto at) {
            // TLOAD(at, acc[16*i:16*i+16, :])  [dequant_rows.yaml:35]
            const auto at_2 = at.load(acc_in);
            // TCVT(ft, at, rint)  [dequant_rows.yaml:39]
            const auto ft = at.to_float(at_2);
            // TROWEXPANDMUL(ft, ft, st)  [dequant_rows.yaml:41]
            const auto ft_2 = ft * at.column(st);
            // TSTORE(y[16*i:16*i+16, :], yt)  [dequant_rows.yaml:48]
            at.store(y_out, ft_2, far);
        });
    }
#endif
}
