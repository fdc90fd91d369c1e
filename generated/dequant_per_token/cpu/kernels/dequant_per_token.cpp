// dequant_per_token: vector kernel of `dequant_per_token` for cpu. Made by pyptogen; change the spec, not this file.
// stages dequant_per_token; tiles rows 1; memory UB 32 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x8_c1 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;
using VecF32_8x1_r1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1>;
using ScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 0, 1>>;
using QGm = GlobalTensor<int8_t, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 4096, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 4096, 1>>;
}  // namespace

extern "C" __global__ AICORE void dequant_per_token(
    __gm__ bfloat16_t *y,
    __gm__ int8_t *q,
    __gm__ float *scale,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(rows_end - rows_begin) * 8192);  // y: around the cache if large
    for (int32_t rows0 = rows_begin + block; rows0 < rows_end; rows0 += nblk) {
        // y: cast(cast(q, fp32) * scale, bf16)
        VecF32_1x8_c1 scale_tile_row; TASSIGN(scale_tile_row, 0x00000);  // as a row, same bytes as scale_tile
        ScaleGm scale_in(scale + int64_t(rows0));
        TLOAD(scale_tile_row, scale_in);
        VecF32_8x1_r1 scale_tile; TASSIGN(scale_tile, 0x00000);  // UB 0x00000..0x00020
        QGm q_in(q + int64_t(rows0) * 4096);
        YGm y_out(y + int64_t(rows0) * 4096);
        TPASS(1, 4096, [&](auto at) {
            const auto q_tile = at.load(q_in);
            const auto y_1 = at.to_float(q_tile);
            const auto y_2 = y_1 * at.column(scale_tile);
            at.store(y_out, y_2, far);
        });
    }
#endif
}
