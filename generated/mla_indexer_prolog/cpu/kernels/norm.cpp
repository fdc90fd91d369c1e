// norm: vector kernel of `mla_indexer_prolog` for cpu. Made by pyptogen; change the spec, not this file.
// stages norm; tiles t 2; memory UB 86112 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x7168 = Tile<TileType::Vec, float, 1, 7168, BLayout::RowMajor, 1, 7168>;
using VecF32_8x7168 = Tile<TileType::Vec, float, 8, 7168, BLayout::RowMajor, DYNAMIC, 7168>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using GammaGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 7168>, Stride<1, 1, 1, 1, 1>>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 7168>, Stride<1, 1, 1, 7168, 1>>;
}  // namespace

extern "C" __global__ AICORE void norm(
    __gm__ bfloat16_t *x_n,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *gamma,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    VecF32_1x7168 x_n_2; TASSIGN(x_n_2, 0x00000);  // UB 0x00000..0x07000
    GammaGm gamma_in(gamma);
    TPASS(1, 7168, [&](auto at) {
        // x_n: cast(rms_norm(cast(x, fp32), cast(gamma, fp32), eps=eps), bf16)
        const auto gamma_tile = at.load(gamma_in);
        at.store(x_n_2, gamma_tile);
    });
    for (int32_t t0 = t_begin + block * 2; t0 < t_end; t0 += nblk * 2) {
        const int32_t t0_valid = t_end - t0 < 2 ? t_end - t0 : 2;
        VecF32_8x7168 x_n_1(t0_valid); TASSIGN(x_n_1, 0x07000);  // UB 0x07000..0x15000
        VecF32_8x1 x_n_var(t0_valid); TASSIGN(x_n_var, 0x15000);  // UB 0x15000..0x15020
        XGm x_in(x + int64_t(t0) * 7168, {t0_valid});
        TPASS(t0_valid, 7168, [&](auto at, auto &x_n_var_sum) {
            const auto x_tile = at.load(x_in);
            at.store(x_n_1, x_tile);
            const auto x_n_square = x_tile * x_tile;
            const auto x_n_var_part = x_n_square * 0.00013950893f;
            x_n_var_sum.take(at, x_n_var_part);
        }, RowSum(x_n_var));
        VecF32_1x8 x_n_var_eps_row(t0_valid); TASSIGN(x_n_var_eps_row, 0x15040);  // as a row, same bytes as x_n_var_eps
        VecF32_1x8 x_n_var_row(t0_valid); TASSIGN(x_n_var_row, 0x15000);  // as a row, same bytes as x_n_var
        TADDS(x_n_var_eps_row, x_n_var_row, eps);
        VecF32_1x8 x_n_std_row(t0_valid); TASSIGN(x_n_std_row, 0x15000);  // as a row, same bytes as x_n_std
        TSQRT(x_n_std_row, x_n_var_eps_row);
        VecF32_8x1 x_n_std(t0_valid); TASSIGN(x_n_std, 0x15000);  // UB 0x15000..0x15020
        XGm x_n_out(x_n + int64_t(t0) * 7168, {t0_valid});
        TPASS(t0_valid, 7168, [&](auto at, auto &x_n_std_divisor) {
            const auto x_n_1_v = at.load(x_n_1);
            const auto x_n_unit = x_n_1_v / x_n_std_divisor;
            const auto x_n_4 = x_n_unit * at.row(x_n_2);
            at.store(x_n_out, x_n_4);
        }, Divisor(x_n_std));
    }
#endif
}
