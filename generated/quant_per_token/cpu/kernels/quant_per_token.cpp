// quant_per_token: vector kernel of `quant_per_token` for cpu. Made by pyptogen; change the spec, not this file.
// stages quant_per_token; tiles rows 1; memory UB 16544 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x4096_r1 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, 1, 4096>;
using VecF32_8x1_r1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1>;
using VecF32_1x8_c1 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 4096, 1>>;
using ScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 0, 1>>;
using QGm = GlobalTensor<int8_t, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 4096, 1>>;
}  // namespace

extern "C" __global__ AICORE void quant_per_token(
    __gm__ int8_t *q,
    __gm__ float *scale,
    __gm__ bfloat16_t *x,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(rows_end - rows_begin) * 4096);  // q: around the cache if large
    for (int32_t rows0 = rows_begin + block; rows0 < rows_end; rows0 += nblk) {
        VecF32_8x4096_r1 f; TASSIGN(f, 0x00000);  // UB 0x00000..0x04000
        VecF32_8x1_r1 m; TASSIGN(m, 0x04000);  // UB 0x04000..0x04020
        XGm x_in(x + int64_t(rows0) * 4096);
        TPASS(1, 4096, [&](auto at, auto &m_max) {
            // f: cast(x, fp32)
            const auto x_tile = at.load(x_in);
            at.store(f, x_tile);
            // m: amax(abs(f), axis=-1, keepdim=true)
            const auto m_1 = at.abs(x_tile);
            m_max.take(at, m_1);
        }, RowMax(m));
        // q: cast(f * (127 / maximum(m, 1.0e-35)), int8, mode=rint)
        VecF32_1x8_c1 q_1_row; TASSIGN(q_1_row, 0x04040);  // as a row, same bytes as q_1
        VecF32_1x8_c1 m_row; TASSIGN(m_row, 0x04000);  // as a row, same bytes as m
        TMAXS(q_1_row, m_row, 1e-35f);
        VecF32_1x8_c1 q_2_row; TASSIGN(q_2_row, 0x04080);  // as a row, same bytes as q_2
        TDIVS(q_2_row, 127.0f, q_1_row);
        // scale: m * 0.007874015748031496
        VecF32_1x8_c1 scale_tile_row; TASSIGN(scale_tile_row, 0x04040);  // as a row, same bytes as scale_tile
        TMULS(scale_tile_row, m_row, 0.007874016f);
        ScaleGm scale_out(scale + int64_t(rows0));
        TSTORE(scale_out, scale_tile_row);
        VecF32_8x1_r1 q_2; TASSIGN(q_2, 0x04080);  // UB 0x04080..0x040a0
        QGm q_out(q + int64_t(rows0) * 4096);
        TPASS(1, 4096, [&](auto at) {
            // q: cast(f * (127 / maximum(m, 1.0e-35)), int8, mode=rint)
            const auto f_v = at.load(f);
            const auto q_3 = f_v * at.column(q_2);
            at.store(q_out, q_3, far);
        });
    }
#endif
}
