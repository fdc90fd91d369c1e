// rms_norm_backward_vec1: vector kernel of `rms_norm_backward` for cpu. Made by pyptogen; change the spec, not this file.
// stages rms_norm_backward; tiles rows 1; memory UB 65632 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x4096 = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, 4096>;
using VecF32_8x4096_r1 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, 1, 4096>;
using VecF32_8x1_r1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1>;
using VecF32_1x8_c1 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;
using GammaGm = GlobalTensor<float, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 1, 1>>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 4096, 1>>;
}  // namespace

extern "C" __global__ AICORE void rms_norm_backward_vec1(
    __gm__ float *d_x,
    __gm__ float *d_gamma_1,
    __gm__ float *x,
    __gm__ float *d_y,
    __gm__ float *gamma,
    float eps,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(rows_end - rows_begin) * 16384);  // d_x: around the cache if large
    // g: d_y * gamma
    VecF32_1x4096 gamma_tile; TASSIGN(gamma_tile, 0x00000);  // UB 0x00000..0x04000
    GammaGm gamma_in(gamma);
    TLOAD(gamma_tile, gamma_in);
    for (int32_t rows0 = rows_begin + block; rows0 < rows_end; rows0 += nblk) {
        VecF32_8x4096_r1 x_tile; TASSIGN(x_tile, 0x0c000);  // UB 0x0c000..0x10000
        VecF32_8x1_r1 r_3; TASSIGN(r_3, 0x10000);  // UB 0x10000..0x10020
        VecF32_8x4096_r1 d_y_tile; TASSIGN(d_y_tile, 0x08000);  // UB 0x08000..0x0c000
        VecF32_8x4096_r1 g; TASSIGN(g, 0x04000);  // UB 0x04000..0x08000
        XGm x_in(x + int64_t(rows0) * 4096);
        XGm d_y_in(d_y + int64_t(rows0) * 4096);
        TPASS(1, 4096, [&](auto at, auto &r_3_sum) {
            // r: rsqrt(mean(x * x, axis=-1, keepdim=true) + eps)
            const auto x_tile_v = at.load(x_in);
            at.store(x_tile, x_tile_v);
            const auto r_1 = x_tile_v * x_tile_v;
            const auto r_2 = r_1 * 0.00024414062f;
            r_3_sum.take(at, r_2);
            // g: d_y * gamma
            const auto d_y_tile_v = at.load(d_y_in);
            at.store(d_y_tile, d_y_tile_v);
            const auto g_v = d_y_tile_v * at.row(gamma_tile);
            at.store(g, g_v);
        }, RowSum(r_3));
        // r: rsqrt(mean(x * x, axis=-1, keepdim=true) + eps)
        VecF32_1x8_c1 r_4_row; TASSIGN(r_4_row, 0x10040);  // as a row, same bytes as r_4
        VecF32_1x8_c1 r_3_row; TASSIGN(r_3_row, 0x10000);  // as a row, same bytes as r_3
        TADDS(r_4_row, r_3_row, eps);
        VecF32_1x8_c1 r_row; TASSIGN(r_row, 0x10000);  // as a row, same bytes as r
        TRSQRT(r_row, r_4_row);
        VecF32_8x4096_r1 n; TASSIGN(n, 0x0c000);  // UB 0x0c000..0x10000
        VecF32_8x1_r1 r; TASSIGN(r, 0x10000);  // UB 0x10000..0x10020
        VecF32_8x1_r1 d_x_3; TASSIGN(d_x_3, 0x10040);  // UB 0x10040..0x10060
        XGm d_gamma_1_out(d_gamma_1 + int64_t(rows0) * 4096);
        TPASS(1, 4096, [&](auto at, auto &d_x_3_sum) {
            // n: x * r
            const auto x_tile_v = at.load(x_tile);
            const auto n_v = x_tile_v * at.column(r);
            at.store(n, n_v);
            // d_x: (g - n * mean(g * n, axis=-1, keepdim=true)) * r
            const auto g_v = at.load(g);
            const auto d_x_1 = g_v * n_v;
            const auto d_x_2 = d_x_1 * 0.00024414062f;
            d_x_3_sum.take(at, d_x_2);
            // d_gamma: sum(d_y * n, axis=0)
            const auto d_y_tile_v = at.load(d_y_tile);
            const auto d_gamma_1_tile = d_y_tile_v * n_v;
            at.store(d_gamma_1_out, d_gamma_1_tile);
        }, RowSum(d_x_3));
        XGm d_x_out(d_x + int64_t(rows0) * 4096);
        TPASS(1, 4096, [&](auto at) {
            // d_x: (g - n * mean(g * n, axis=-1, keepdim=true)) * r
            const auto n_v = at.load(n);
            const auto d_x_4 = n_v * at.column(d_x_3);
            const auto g_v = at.load(g);
            const auto d_x_5 = g_v - d_x_4;
            const auto d_x_tile = d_x_5 * at.column(r);
            at.store(d_x_out, d_x_tile, far);
        });
    }
#endif
}
