// statistics: vector kernel of `softmax_long` for cpu. Made by pyptogen; change the spec, not this file.
// stages statistics; tiles j 1024, rows 8; memory UB 33056 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x1024 = Tile<TileType::Vec, float, 8, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 16384, 1>>;
using TopGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
}  // namespace

extern "C" __global__ AICORE void statistics(
    __gm__ float *top,
    __gm__ float *total,
    __gm__ float *x,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i0 = rows_begin + block * 8; i0 < rows_end; i0 += nblk * 8) {
        const int32_t i0_valid = rows_end - i0 < 8 ? rows_end - i0 : 8;
        // m: full(-inf, [i, 1], fp32)  [softmax_long.yaml:27]
        VecF32_1x8 m_row(i0_valid); TASSIGN(m_row, 0x00000);  // as a row, same bytes as m
        TEXPANDS(m_row, -__builtin_inff());
        // l: full(0, [i, 1], fp32)  [softmax_long.yaml:28]
        VecF32_1x8 l_row(i0_valid); TASSIGN(l_row, 0x00040);  // as a row, same bytes as l
        TEXPANDS(l_row, 0.0f);
        for (int32_t j0 = 0; j0 < 16384; j0 += 1024) {
            VecF32_8x1024 xt(i0_valid); TASSIGN(xt, 0x00080);  // UB 0x00080..0x08080
            VecF32_8x1 larger(i0_valid); TASSIGN(larger, 0x08080);  // UB 0x08080..0x080a0
            XGm x_in(x + int64_t(i0) * 16384 + int64_t(j0), {i0_valid});
            TPASS(i0_valid, 1024, [&](auto at, auto &larger_max) {
                // xt: load(x[8*i:8*i+8, chunk*j:chunk*j+chunk])  [softmax_long.yaml:31]
                const auto xt_v = at.load(x_in);
                at.store(xt, xt_v);
                // larger: maximum(m, rowmax(xt))  [softmax_long.yaml:32]
                larger_max.take(at, xt_v);
            }, RowMax(larger));
            VecF32_1x8 larger_2_row(i0_valid); TASSIGN(larger_2_row, 0x080c0);  // as a row, same bytes as larger_2
            VecF32_1x8 larger_row(i0_valid); TASSIGN(larger_row, 0x08080);  // as a row, same bytes as larger
            TMAX(larger_2_row, m_row, larger_row);
            // l: l * exp(m - larger) + part  [softmax_long.yaml:34]
            VecF32_1x8 l_2_row(i0_valid); TASSIGN(l_2_row, 0x08080);  // as a row, same bytes as l_2
            TSUB(l_2_row, m_row, larger_2_row);
            VecF32_1x8 l_3_row(i0_valid); TASSIGN(l_3_row, 0x08100);  // as a row, same bytes as l_3
            TEXP(l_3_row, l_2_row);
            VecF32_1x8 l_4_row(i0_valid); TASSIGN(l_4_row, 0x08080);  // as a row, same bytes as l_4
            TMUL(l_4_row, l_row, l_3_row);
            // m: copy(larger)  [softmax_long.yaml:35]
            TMOV(m_row, larger_2_row);
            VecF32_8x1 larger_2(i0_valid); TASSIGN(larger_2, 0x080c0);  // UB 0x080c0..0x080e0
            VecF32_8x1 part_3(i0_valid); TASSIGN(part_3, 0x08100);  // UB 0x08100..0x08120
            TPASS(i0_valid, 1024, [&](auto at, auto &part_3_sum) {
                // part: rowsum(exp(xt - larger))  [softmax_long.yaml:33]
                const auto xt_v = at.load(xt);
                const auto part = xt_v - at.column(larger_2);
                const auto part_2 = at.exp(part);
                part_3_sum.take(at, part_2);
            }, RowSum(part_3));
            // l: l * exp(m - larger) + part  [softmax_long.yaml:34]
            VecF32_1x8 part_3_row(i0_valid); TASSIGN(part_3_row, 0x08100);  // as a row, same bytes as part_3
            TADD(l_row, l_4_row, part_3_row);
        }
        // store(m, top[8*i:8*i+8, :])  [softmax_long.yaml:36]
        TopGm top_out(top + int64_t(i0), {i0_valid});
        TSTORE(top_out, m_row);
        // store(l, total[8*i:8*i+8, :])  [softmax_long.yaml:37]
        TopGm total_out(total + int64_t(i0), {i0_valid});
        TSTORE(total_out, l_row);
    }
#endif
}
