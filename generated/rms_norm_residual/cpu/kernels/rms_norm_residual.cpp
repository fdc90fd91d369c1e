// rms_norm_residual: vector kernel of `rms_norm_residual` for cpu. Made by pyptogen; change the spec, not this file.
// stages rms_norm_residual; tiles rows 1; memory UB 32864 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x4096 = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, 4096>;
using VecF32_8x4096_r1 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, 1, 4096>;
using VecF32_8x1_r1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1>;
using VecF32_1x8_c1 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;
using GammaGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 1, 1>>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 4096, 1>>;
}  // namespace

extern "C" __global__ AICORE void rms_norm_residual(
    __gm__ bfloat16_t *sum,
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *residual,
    __gm__ bfloat16_t *gamma,
    float eps,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(rows_end - rows_begin) * 16384);  // sum, y: around the cache if large
    VecF32_1x4096 y_1; TASSIGN(y_1, 0x00000);  // UB 0x00000..0x04000
    GammaGm gamma_in(gamma);
    TPASS(1, 4096, [&](auto at) {
        // y:   cast(rms_norm(s, cast(gamma, fp32), eps=eps), bf16)
        const auto gamma_tile = at.load(gamma_in);
        at.store(y_1, gamma_tile);
    });
    for (int32_t rows0 = rows_begin + block; rows0 < rows_end; rows0 += nblk) {
        VecF32_8x4096_r1 s; TASSIGN(s, 0x04000);  // UB 0x04000..0x08000
        VecF32_8x1_r1 y_var; TASSIGN(y_var, 0x08000);  // UB 0x08000..0x08020
        XGm x_in(x + int64_t(rows0) * 4096);
        XGm residual_in(residual + int64_t(rows0) * 4096);
        XGm sum_out(sum + int64_t(rows0) * 4096);
        TPASS(1, 4096, [&](auto at, auto &y_var_sum) {
            // s:   cast(x, fp32) + cast(residual, fp32)
            const auto x_tile = at.load(x_in);
            const auto residual_tile = at.load(residual_in);
            const auto s_v = x_tile + residual_tile;
            at.store(s, s_v);
            // y:   cast(rms_norm(s, cast(gamma, fp32), eps=eps), bf16)
            const auto y_square = s_v * s_v;
            const auto y_var_part = y_square * 0.00024414062f;
            y_var_sum.take(at, y_var_part);
            // sum: cast(s, bf16)
            at.store(sum_out, s_v, far);
        }, RowSum(y_var));
        // y:   cast(rms_norm(s, cast(gamma, fp32), eps=eps), bf16)
        VecF32_1x8_c1 y_var_eps_row; TASSIGN(y_var_eps_row, 0x08040);  // as a row, same bytes as y_var_eps
        VecF32_1x8_c1 y_var_row; TASSIGN(y_var_row, 0x08000);  // as a row, same bytes as y_var
        TADDS(y_var_eps_row, y_var_row, eps);
        VecF32_1x8_c1 y_std_row; TASSIGN(y_std_row, 0x08000);  // as a row, same bytes as y_std
        TSQRT(y_std_row, y_var_eps_row);
        VecF32_8x1_r1 y_std; TASSIGN(y_std, 0x08000);  // UB 0x08000..0x08020
        XGm y_out(y + int64_t(rows0) * 4096);
        TPASS(1, 4096, [&](auto at, auto &y_std_divisor) {
            const auto s_v = at.load(s);
            const auto y_unit = s_v / y_std_divisor;
            const auto y_3 = y_unit * at.row(y_1);
            at.store(y_out, y_3, far);
        }, Divisor(y_std));
    }
#endif
}
