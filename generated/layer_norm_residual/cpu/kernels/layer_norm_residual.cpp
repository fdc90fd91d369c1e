// layer_norm_residual: vector kernel of `layer_norm_residual` for cpu. Made by pyptogen; change the spec, not this file.
// stages layer_norm_residual; tiles rows 2; memory UB 32864 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x2048 = Tile<TileType::Vec, float, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecF32_8x2048 = Tile<TileType::Vec, float, 8, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using GammaGm = GlobalTensor<float, Shape<1, 1, 1, 1, 2048>, Stride<1, 1, 1, 1, 1>>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 2048>, Stride<1, 1, 1, 2048, 1>>;
}  // namespace

extern "C" __global__ AICORE void layer_norm_residual(
    __gm__ float *sum,
    __gm__ float *y,
    __gm__ float *x,
    __gm__ float *residual,
    __gm__ float *gamma,
    __gm__ float *beta,
    float eps,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(rows_end - rows_begin) * 16384);  // sum, y: around the cache if large
    // y:   layer_norm(sum, gamma, beta, eps=eps)
    VecF32_1x2048 gamma_tile; TASSIGN(gamma_tile, 0x00000);  // UB 0x00000..0x02000
    GammaGm gamma_in(gamma);
    TLOAD(gamma_tile, gamma_in);
    VecF32_1x2048 beta_tile; TASSIGN(beta_tile, 0x02000);  // UB 0x02000..0x04000
    GammaGm beta_in(beta);
    TLOAD(beta_tile, beta_in);
    for (int32_t rows0 = rows_begin + block * 2; rows0 < rows_end; rows0 += nblk * 2) {
        const int32_t rows0_valid = rows_end - rows0 < 2 ? rows_end - rows0 : 2;
        VecF32_8x2048 sum_tile(rows0_valid); TASSIGN(sum_tile, 0x04000);  // UB 0x04000..0x08000
        VecF32_8x1 y_mean(rows0_valid); TASSIGN(y_mean, 0x08000);  // UB 0x08000..0x08020
        XGm x_in(x + int64_t(rows0) * 2048, {rows0_valid});
        XGm residual_in(residual + int64_t(rows0) * 2048, {rows0_valid});
        XGm sum_out(sum + int64_t(rows0) * 2048, {rows0_valid});
        TPASS(rows0_valid, 2048, [&](auto at, auto &y_mean_sum) {
            // sum: x + residual
            const auto x_tile = at.load(x_in);
            const auto residual_tile = at.load(residual_in);
            const auto sum_tile_v = x_tile + residual_tile;
            at.store(sum_tile, sum_tile_v);
            // y:   layer_norm(sum, gamma, beta, eps=eps)
            const auto y_part = sum_tile_v * 0.00048828125f;
            y_mean_sum.take(at, y_part);
            // sum: x + residual
            at.store(sum_out, sum_tile_v, far);
        }, RowSum(y_mean));
        VecF32_8x2048 y_c(rows0_valid); TASSIGN(y_c, 0x04000);  // UB 0x04000..0x08000
        VecF32_8x1 y_var(rows0_valid); TASSIGN(y_var, 0x08040);  // UB 0x08040..0x08060
        TPASS(rows0_valid, 2048, [&](auto at, auto &y_var_sum) {
            // y:   layer_norm(sum, gamma, beta, eps=eps)
            const auto sum_tile_v = at.load(sum_tile);
            const auto y_c_v = sum_tile_v - at.column(y_mean);
            at.store(y_c, y_c_v);
            const auto y_square = y_c_v * y_c_v;
            const auto y_var_part = y_square * 0.00048828125f;
            y_var_sum.take(at, y_var_part);
        }, RowSum(y_var));
        VecF32_1x8 y_var_eps_row(rows0_valid); TASSIGN(y_var_eps_row, 0x08000);  // as a row, same bytes as y_var_eps
        VecF32_1x8 y_var_row(rows0_valid); TASSIGN(y_var_row, 0x08040);  // as a row, same bytes as y_var
        TADDS(y_var_eps_row, y_var_row, eps);
        VecF32_1x8 y_std_row(rows0_valid); TASSIGN(y_std_row, 0x08040);  // as a row, same bytes as y_std
        TSQRT(y_std_row, y_var_eps_row);
        VecF32_8x1 y_std(rows0_valid); TASSIGN(y_std, 0x08040);  // UB 0x08040..0x08060
        XGm y_out(y + int64_t(rows0) * 2048, {rows0_valid});
        TPASS(rows0_valid, 2048, [&](auto at, auto &y_std_divisor) {
            const auto y_c_v = at.load(y_c);
            const auto y_unit = y_c_v / y_std_divisor;
            const auto y_scaled = y_unit * at.row(gamma_tile);
            const auto y_tile = y_scaled + at.row(beta_tile);
            at.store(y_out, y_tile, far);
        }, Divisor(y_std));
    }
#endif
}
