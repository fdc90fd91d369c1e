// layer_norm: vector kernel of `layer_norm` for cpu. Made by pyptogen; change the spec, not this file.
// stages layer_norm; tiles rows 1; memory UB 49248 B
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

extern "C" __global__ AICORE void layer_norm(
    __gm__ float *y,
    __gm__ float *x,
    __gm__ float *gamma,
    __gm__ float *beta,
    float eps,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(rows_end - rows_begin) * 16384);  // y: around the cache if large
    // y: layer_norm(x, gamma, beta, eps=eps)
    VecF32_1x4096 gamma_tile; TASSIGN(gamma_tile, 0x00000);  // UB 0x00000..0x04000
    GammaGm gamma_in(gamma);
    TLOAD(gamma_tile, gamma_in);
    VecF32_1x4096 beta_tile; TASSIGN(beta_tile, 0x04000);  // UB 0x04000..0x08000
    GammaGm beta_in(beta);
    TLOAD(beta_tile, beta_in);
    for (int32_t rows0 = rows_begin + block; rows0 < rows_end; rows0 += nblk) {
        VecF32_8x4096_r1 x_tile; TASSIGN(x_tile, 0x08000);  // UB 0x08000..0x0c000
        VecF32_8x1_r1 y_mean; TASSIGN(y_mean, 0x0c000);  // UB 0x0c000..0x0c020
        XGm x_in(x + int64_t(rows0) * 4096);
        TPASS(1, 4096, [&](auto at, auto &y_mean_sum) {
            const auto x_tile_v = at.load(x_in);
            at.store(x_tile, x_tile_v);
            const auto y_part = x_tile_v * 0.00024414062f;
            y_mean_sum.take(at, y_part);
        }, RowSum(y_mean));
        VecF32_8x4096_r1 y_c; TASSIGN(y_c, 0x08000);  // UB 0x08000..0x0c000
        VecF32_8x1_r1 y_var; TASSIGN(y_var, 0x0c040);  // UB 0x0c040..0x0c060
        TPASS(1, 4096, [&](auto at, auto &y_var_sum) {
            at.ask_between(x_in, nblk);  // the next iteration's
            const auto x_tile_v = at.load(x_tile);
            const auto y_c_v = x_tile_v - at.column(y_mean);
            at.store(y_c, y_c_v);
            const auto y_square = y_c_v * y_c_v;
            const auto y_var_part = y_square * 0.00024414062f;
            y_var_sum.take(at, y_var_part);
        }, RowSum(y_var));
        VecF32_1x8_c1 y_var_eps_row; TASSIGN(y_var_eps_row, 0x0c000);  // as a row, same bytes as y_var_eps
        VecF32_1x8_c1 y_var_row; TASSIGN(y_var_row, 0x0c040);  // as a row, same bytes as y_var
        TADDS(y_var_eps_row, y_var_row, eps);
        VecF32_1x8_c1 y_std_row; TASSIGN(y_std_row, 0x0c040);  // as a row, same bytes as y_std
        TSQRT(y_std_row, y_var_eps_row);
        VecF32_8x1_r1 y_std; TASSIGN(y_std, 0x0c040);  // UB 0x0c040..0x0c060
        XGm y_out(y + int64_t(rows0) * 4096);
        TPASS(1, 4096, [&](auto at, auto &y_std_divisor) {
            const auto y_c_v = at.load(y_c);
            const auto y_unit = y_c_v / y_std_divisor;
            const auto y_scaled = y_unit * at.row(gamma_tile);
            const auto y_tile = y_scaled + at.row(beta_tile);
            at.store(y_out, y_tile, far);
        }, Divisor(y_std));
    }
#endif
}
