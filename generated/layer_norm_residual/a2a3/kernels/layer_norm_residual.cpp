// layer_norm_residual: vector kernel of `layer_norm_residual` for a2a3. Made by pyptogen; change the spec, not this file.
// stages layer_norm_residual; tiles rows 2; memory UB 181280 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x2048 = Tile<TileType::Vec, float, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecF32_8x2048 = Tile<TileType::Vec, float, 8, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using VecF32_8x2048_c1024 = Tile<TileType::Vec, float, 8, 2048, BLayout::RowMajor, DYNAMIC, 1024>;
using VecF32_8x2048_c512 = Tile<TileType::Vec, float, 8, 2048, BLayout::RowMajor, DYNAMIC, 512>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_8x128 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using GammaGm = GlobalTensor<float, Shape<1, 1, 1, 1, 2048>, Stride<1, 1, 1, 1, 1>>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 2048>, Stride<1, 1, 1, 2048, 1>>;

AICORE inline void run_block(
    __gm__ float *sum,
    __gm__ float *y,
    __gm__ float *x,
    __gm__ float *residual,
    __gm__ float *gamma,
    __gm__ float *beta,
    float eps,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t rows0_buffer = 0;  // which of 2 buffers this iteration of rows0 uses
    // y:   layer_norm(sum, gamma, beta, eps=eps)
    VecF32_1x2048 gamma_tile; TASSIGN<0x18000>(gamma_tile);  // UB 0x18000..0x1a000
    GammaGm gamma_in(gamma);
    TLOAD(gamma_tile, gamma_in);
    VecF32_1x2048 beta_tile; TASSIGN<0x1a000>(beta_tile);  // UB 0x1a000..0x1c000
    GammaGm beta_in(beta);
    TLOAD(beta_tile, beta_in);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t rows0 = rows_begin + block * 2; rows0 < rows_end; rows0 += nblk * 2, rows0_buffer ^= 1) {
        const int32_t rows0_valid = rows_end - rows0 < 2 ? rows_end - rows0 : 2;
        // sum: x + residual
        VecF32_8x2048 x_tile(rows0_valid); TASSIGN(x_tile, 0x00000 + rows0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));  // free again
        XGm x_in(x + int64_t(rows0) * 2048, {rows0_valid});
        TLOAD(x_tile, x_in);
        VecF32_8x2048 residual_tile(rows0_valid); TASSIGN(residual_tile, 0x08000 + rows0_buffer * 0x04000);  // UB 0x08000..0x10000, 2 copies
        XGm residual_in(residual + int64_t(rows0) * 2048, {rows0_valid});
        TLOAD(residual_tile, residual_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        VecF32_8x2048 sum_tile(rows0_valid); TASSIGN(sum_tile, 0x10000 + rows0_buffer * 0x04000);  // UB 0x10000..0x18000, 2 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + rows0_buffer));  // free again
        TADD(sum_tile, x_tile, residual_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + rows0_buffer));
        // y:   layer_norm(sum, gamma, beta, eps=eps)
        VecF32_8x2048 y_part(rows0_valid); TASSIGN(y_part, 0x24000);  // UB 0x24000..0x28000
        pipe_barrier(PIPE_V);
        TMULS(y_part, sum_tile, 0.00048828125f);
        VecF32_8x2048_c1024 y_part_1024(rows0_valid); TASSIGN(y_part_1024, 0x24000);  // columns 0.. of y_part
        VecF32_8x2048_c1024 y_part_from_1024(rows0_valid); TASSIGN(y_part_from_1024, 0x25000);  // columns 1024.. of y_part
        pipe_barrier(PIPE_V);
        TADD(y_part_1024, y_part_1024, y_part_from_1024);
        VecF32_8x2048_c512 y_part_512(rows0_valid); TASSIGN(y_part_512, 0x24000);  // columns 0.. of y_part
        VecF32_8x2048_c512 y_part_from_512(rows0_valid); TASSIGN(y_part_from_512, 0x24800);  // columns 512.. of y_part
        pipe_barrier(PIPE_V);
        TADD(y_part_512, y_part_512, y_part_from_512);
        VecF32_8x1 y_mean(rows0_valid); TASSIGN<0x28000>(y_mean);  // UB 0x28000..0x28020
        VecF32_8x128 y_mean_tmp(rows0_valid); TASSIGN<0x28020>(y_mean_tmp);  // UB 0x28020..0x28420
        pipe_barrier(PIPE_V);
        TROWSUM(y_mean, y_part_512, y_mean_tmp);
        VecF32_8x2048 y_c(rows0_valid); TASSIGN(y_c, 0x24000);  // UB 0x24000..0x28000
        pipe_barrier(PIPE_V);
        TROWEXPANDSUB(y_c, sum_tile, y_mean);
        VecF32_8x2048 y_square(rows0_valid); TASSIGN(y_square, 0x28000);  // UB 0x28000..0x2c000
        pipe_barrier(PIPE_V);
        TMUL(y_square, y_c, y_c);
        VecF32_8x2048 y_var_part(rows0_valid); TASSIGN(y_var_part, 0x28000);  // UB 0x28000..0x2c000
        pipe_barrier(PIPE_V);
        TMULS(y_var_part, y_square, 0.00048828125f);
        VecF32_8x2048_c1024 y_var_part_1024(rows0_valid); TASSIGN(y_var_part_1024, 0x28000);  // columns 0.. of y_var_part
        VecF32_8x2048_c1024 y_var_part_from_1024(rows0_valid); TASSIGN(y_var_part_from_1024, 0x29000);  // columns 1024.. of y_var_part
        pipe_barrier(PIPE_V);
        TADD(y_var_part_1024, y_var_part_1024, y_var_part_from_1024);
        VecF32_8x2048_c512 y_var_part_512(rows0_valid); TASSIGN(y_var_part_512, 0x28000);  // columns 0.. of y_var_part
        VecF32_8x2048_c512 y_var_part_from_512(rows0_valid); TASSIGN(y_var_part_from_512, 0x28800);  // columns 512.. of y_var_part
        pipe_barrier(PIPE_V);
        TADD(y_var_part_512, y_var_part_512, y_var_part_from_512);
        VecF32_8x1 y_var(rows0_valid); TASSIGN<0x2c000>(y_var);  // UB 0x2c000..0x2c020
        VecF32_8x128 y_var_tmp(rows0_valid); TASSIGN<0x2c020>(y_var_tmp);  // UB 0x2c020..0x2c420
        pipe_barrier(PIPE_V);
        TROWSUM(y_var, y_var_part_512, y_var_tmp);
        VecF32_1x8 y_var_eps_row(rows0_valid); TASSIGN<0x28000>(y_var_eps_row);  // as a row, same bytes as y_var_eps
        VecF32_1x8 y_var_row(rows0_valid); TASSIGN<0x2c000>(y_var_row);  // as a row, same bytes as y_var
        pipe_barrier(PIPE_V);
        TADDS(y_var_eps_row, y_var_row, eps);
        VecF32_1x8 y_std_row(rows0_valid); TASSIGN<0x28000>(y_std_row);  // as a row, same bytes as y_std
        pipe_barrier(PIPE_V);
        TSQRT(y_std_row, y_var_eps_row);
        VecF32_8x2048 y_unit(rows0_valid); TASSIGN(y_unit, 0x24000);  // UB 0x24000..0x28000
        VecF32_8x1 y_std(rows0_valid); TASSIGN<0x28000>(y_std);  // UB 0x28000..0x28020
        pipe_barrier(PIPE_V);
        TROWEXPANDDIV(y_unit, y_c, y_std);
        VecF32_8x2048 y_scaled(rows0_valid); TASSIGN(y_scaled, 0x24000);  // UB 0x24000..0x28000
        pipe_barrier(PIPE_V);
        TCOLEXPANDMUL(y_scaled, y_unit, gamma_tile);
        VecF32_8x2048 y_tile(rows0_valid); TASSIGN(y_tile, 0x1c000 + rows0_buffer * 0x04000);  // UB 0x1c000..0x24000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));  // free again
        TCOLEXPANDADD(y_tile, y_scaled, beta_tile);
        set_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + rows0_buffer));
        // sum: x + residual
        XGm sum_out(sum + int64_t(rows0) * 2048, {rows0_valid});
        TSTORE(sum_out, sum_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        // y:   layer_norm(sum, gamma, beta, eps=eps)
        XGm y_out(y + int64_t(rows0) * 2048, {rows0_valid});
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void layer_norm_residual(
    __gm__ float *sum, __gm__ float *y, __gm__ float *x, __gm__ float *residual, __gm__ float *gamma,
    __gm__ float *beta, float eps, int32_t rows_begin, int32_t rows_end, int32_t nblk)
{
    run_block(
        sum, y, x, residual, gamma, beta, eps, rows_begin, rows_end, nblk, static_cast<int32_t>(get_block_idx()));
}
