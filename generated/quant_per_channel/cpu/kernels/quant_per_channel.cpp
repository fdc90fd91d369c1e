// quant_per_channel: vector kernel of `quant_per_channel` for cpu. Made by pyptogen; change the spec, not this file.
// stages quant_per_channel; tiles rows 1; memory UB 16384 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x4096 = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, 4096>;
using ScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 1, 1>>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 4096, 1>>;
using QGm = GlobalTensor<int8_t, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 4096, 1>>;
}  // namespace

extern "C" __global__ AICORE void quant_per_channel(
    __gm__ int8_t *q,
    __gm__ bfloat16_t *x,
    __gm__ float *scale,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(rows_end - rows_begin) * 4096);  // q: around the cache if large
    // q: cast(cast(x, fp32) / scale, int8, mode=rint)
    VecF32_1x4096 scale_tile; TASSIGN(scale_tile, 0x00000);  // UB 0x00000..0x04000
    ScaleGm scale_in(scale);
    TLOAD(scale_tile, scale_in);
    for (int32_t rows0 = rows_begin + block; rows0 < rows_end; rows0 += nblk) {
        XGm x_in(x + int64_t(rows0) * 4096);
        QGm q_out(q + int64_t(rows0) * 4096);
        TPASS(1, 4096, [&](auto at) {
            const auto x_tile = at.load(x_in);
            const auto q_2 = x_tile / at.row(scale_tile);
            at.store(q_out, q_2, far);
        });
    }
#endif
}
