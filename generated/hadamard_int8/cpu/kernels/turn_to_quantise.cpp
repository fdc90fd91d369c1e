// turn_to_quantise: mixed kernel of `hadamard_int8` for cpu. Made by pyptogen; change the spec, not this file.
// stages turn, quantise; tiles rows 256 / 32; memory L0A 65536 B, L0B 32768 B, L0C 131072 B, UB 384 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using RightB16_128x128 = TileRight<bfloat16_t, 128, 128, 128, 128>;
using LeftB16_256x128 = TileLeft<bfloat16_t, 256, 128, DYNAMIC, 128>;
using AccF32_256x128 = TileAcc<float, 256, 128, DYNAMIC, 128>;
using VecF32_32x1 = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using HGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using ScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using QGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void turn_to_quantise(
    __gm__ int8_t *q,
    __gm__ float *scale,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *h,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(rows_end - rows_begin) * 128);  // q: around the cache if large
    // r: matmul(x, h, dtype=fp32)
    RightB16_128x128 h_tile; TASSIGN(h_tile, 0x00000);  // L0B 0x00000..0x08000
    HGm h_in(h);
    TLOAD(h_tile, h_in);
    for (int32_t rows0 = rows_begin + block * 256; rows0 < rows_end; rows0 += nblk * 256) {
        const int32_t rows0_valid = rows_end - rows0 < 256 ? rows_end - rows0 : 256;
        LeftB16_256x128 x_tile(rows0_valid); TASSIGN(x_tile, 0x00000);  // L0A 0x00000..0x10000
        XGm x_in(x + int64_t(rows0) * 128, {rows0_valid});
        TLOAD(x_tile, x_in);
        AccF32_256x128 r_acc(rows0_valid); TASSIGN(r_acc, 0x00000);  // L0C 0x00000..0x20000
        TMATMUL(r_acc, x_tile, h_tile);
        for (int32_t rows1 = rows0; rows1 < rows0 + rows0_valid; rows1 += 32) {
            const int32_t rows1_valid = rows0 + rows0_valid - rows1 < 32 ? rows0 + rows0_valid - rows1 : 32;
            VecF32_32x1 m_2(rows1_valid); TASSIGN(m_2, 0x00000);  // UB 0x00000..0x00080
            TPASS(rows1_valid, 128, [&](auto at, auto &m_2_max) {
                // m: maximum(amax(abs(r), axis=-1, keepdim=true), 1.0e-30)
                const auto r = at.extract(r_acc, rows1 - rows0);
                const auto m_1 = at.abs(r);
                m_2_max.take(at, m_1);
            }, RowMax(m_2));
            VecF32_1x32 m_row(rows1_valid); TASSIGN(m_row, 0x00080);  // as a row, same bytes as m
            VecF32_1x32 m_2_row(rows1_valid); TASSIGN(m_2_row, 0x00000);  // as a row, same bytes as m_2
            TMAXS(m_row, m_2_row, 1e-30f);
            // q: cast(r * (127 / m), int8, mode=rint)
            VecF32_1x32 q_1_row(rows1_valid); TASSIGN(q_1_row, 0x00000);  // as a row, same bytes as q_1
            TDIVS(q_1_row, 127.0f, m_row);
            // scale: m * 0.007874015748031496
            VecF32_1x32 scale_tile_row(rows1_valid); TASSIGN(scale_tile_row, 0x00100);  // as a row, same bytes as scale_tile
            TMULS(scale_tile_row, m_row, 0.007874016f);
            ScaleGm scale_out(scale + int64_t(rows1), {rows1_valid});
            TSTORE(scale_out, scale_tile_row);
            VecF32_32x1 q_1(rows1_valid); TASSIGN(q_1, 0x00000);  // UB 0x00000..0x00080
            QGm q_out(q + int64_t(rows1) * 128, {rows1_valid});
            TPASS(rows1_valid, 128, [&](auto at) {
                // m: maximum(amax(abs(r), axis=-1, keepdim=true), 1.0e-30)
                const auto r = at.extract(r_acc, rows1 - rows0);
                // q: cast(r * (127 / m), int8, mode=rint)
                const auto q_2 = r * at.column(q_1);
                at.store(q_out, q_2, far);
            });
        }
    }
}
