// rms_norm_residual: vector kernel of `rms_norm_residual` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rms_norm_residual; tiles rows 4; memory UB 188416 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x4096 = Tile<TileType::Vec, bfloat16_t, 1, 4096, BLayout::RowMajor, 1, 4096>;
using VecF32_1x4096 = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, 4096>;
using VecB16_8x4096 = Tile<TileType::Vec, bfloat16_t, 8, 4096, BLayout::RowMajor, DYNAMIC, 4096>;
using VecF32_8x4096 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, DYNAMIC, 4096>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_8x128 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using GammaGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 1, 1>>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 4096>, Stride<1, 1, 1, 4096, 1>>;
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
    // y:   cast(rms_norm(s, cast(gamma, fp32), eps=eps), bf16)  [rms_norm_residual.yaml:23]
    VecB16_1x4096 gamma_tile; TASSIGN(gamma_tile, 0x00000);  // UB 0x00000..0x02000
    GammaGm gamma_in(gamma);
    TLOAD(gamma_tile, gamma_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
    VecF32_1x4096 y_1; TASSIGN(y_1, 0x02000);  // UB 0x02000..0x06000
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
    TCVT(y_1, gamma_tile, RoundMode::CAST_RINT);
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free for the first round
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free for the first round
    for (int32_t rows0 = rows_begin + block * 4; rows0 < rows_end; rows0 += nblk * 4) {
        const int32_t rows0_valid = rows_end - rows0 < 4 ? rows_end - rows0 : 4;
        // s:   cast(x, fp32) + cast(residual, fp32)  [rms_norm_residual.yaml:21]
        VecB16_8x4096 x_tile(rows0_valid); TASSIGN(x_tile, 0x06000);  // UB 0x06000..0x0e000
        wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free again
        XGm x_in(x + int64_t(rows0) * 4096, {rows0_valid});
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
        VecF32_8x4096 s_1(rows0_valid); TASSIGN(s_1, 0x0e000);  // UB 0x0e000..0x1e000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
        TCVT(s_1, x_tile, RoundMode::CAST_RINT);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        VecB16_8x4096 residual_tile(rows0_valid); TASSIGN(residual_tile, 0x06000);  // UB 0x06000..0x0e000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        XGm residual_in(residual + int64_t(rows0) * 4096, {rows0_valid});
        TLOAD(residual_tile, residual_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        VecF32_8x4096 s_2(rows0_valid); TASSIGN(s_2, 0x1e000);  // UB 0x1e000..0x2e000
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TCVT(s_2, residual_tile, RoundMode::CAST_RINT);
        VecF32_8x4096 s(rows0_valid); TASSIGN(s, 0x0e000);  // UB 0x0e000..0x1e000
        pipe_barrier(PIPE_V);
        TADD(s, s_1, s_2);
        // sum: cast(s, bf16)  [rms_norm_residual.yaml:22]
        VecB16_8x4096 sum_tile(rows0_valid); TASSIGN(sum_tile, 0x06000);  // UB 0x06000..0x0e000
        pipe_barrier(PIPE_V);
        TCVT(sum_tile, s, RoundMode::CAST_RINT);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
        // y:   cast(rms_norm(s, cast(gamma, fp32), eps=eps), bf16)  [rms_norm_residual.yaml:23]
        VecF32_8x4096 y_square(rows0_valid); TASSIGN(y_square, 0x1e000);  // UB 0x1e000..0x2e000
        TMUL(y_square, s, s);
        VecF32_8x4096 y_var_part(rows0_valid); TASSIGN(y_var_part, 0x1e000);  // UB 0x1e000..0x2e000
        pipe_barrier(PIPE_V);
        TMULS(y_var_part, y_square, 0.00024414062f);
        VecF32_8x1 y_var(rows0_valid); TASSIGN(y_var, 0x00000);  // UB 0x00000..0x00020
        VecF32_8x128 y_var_tmp(rows0_valid); TASSIGN(y_var_tmp, 0x00020);  // UB 0x00020..0x00820
        pipe_barrier(PIPE_V);
        TROWSUM(y_var, y_var_part, y_var_tmp);
        VecF32_1x8 y_var_eps_row(rows0_valid); TASSIGN(y_var_eps_row, 0x00000);  // as a row, same bytes as y_var_eps
        VecF32_1x8 y_var_row(rows0_valid); TASSIGN(y_var_row, 0x00000);  // as a row, same bytes as y_var
        pipe_barrier(PIPE_V);
        TADDS(y_var_eps_row, y_var_row, eps);
        VecF32_1x8 y_std_row(rows0_valid); TASSIGN(y_std_row, 0x00000);  // as a row, same bytes as y_std
        pipe_barrier(PIPE_V);
        TSQRT(y_std_row, y_var_eps_row);
        VecF32_8x4096 y_unit(rows0_valid); TASSIGN(y_unit, 0x0e000);  // UB 0x0e000..0x1e000
        VecF32_8x1 y_std(rows0_valid); TASSIGN(y_std, 0x00000);  // UB 0x00000..0x00020
        pipe_barrier(PIPE_V);
        TROWEXPANDDIV(y_unit, s, y_std);
        VecF32_8x4096 y_3(rows0_valid); TASSIGN(y_3, 0x0e000);  // UB 0x0e000..0x1e000
        pipe_barrier(PIPE_V);
        TCOLEXPANDMUL(y_3, y_unit, y_1);
        VecB16_8x4096 y_tile(rows0_valid); TASSIGN(y_tile, 0x1e000);  // UB 0x1e000..0x26000
        pipe_barrier(PIPE_V);
        TCVT(y_tile, y_3, RoundMode::CAST_RINT);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
        // sum: cast(s, bf16)  [rms_norm_residual.yaml:22]
        XGm sum_out(sum + int64_t(rows0) * 4096, {rows0_valid});
        TSTORE(sum_out, sum_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        // y:   cast(rms_norm(s, cast(gamma, fp32), eps=eps), bf16)  [rms_norm_residual.yaml:23]
        XGm y_out(y + int64_t(rows0) * 4096, {rows0_valid});
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // of the last round
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round
#endif
}
