// rms_norm_residual: vector kernel of `rms_norm_residual` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rms_norm_residual; tiles rows 1; memory UB 123424 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x4096 = Tile<TileType::Vec, bfloat16_t, 1, 4096, BLayout::RowMajor, 1, 4096>;
using VecF32_1x4096 = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, 4096>;
using VecB16_8x4096_r1 = Tile<TileType::Vec, bfloat16_t, 8, 4096, BLayout::RowMajor, 1, 4096>;
using VecF32_8x4096_r1 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, 1, 4096>;
using VecF32_8x4096_c2048_r1 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, 1, 2048>;
using VecF32_8x4096_c1024_r1 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, 1, 1024>;
using VecF32_8x1_r1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1>;
using VecF32_8x128_r1 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, 1, 128>;
using VecF32_1x8_c1 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;
using GammaGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 1, 1>>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 4096, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *sum,
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *residual,
    __gm__ bfloat16_t *gamma,
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
    // y:   cast(rms_norm(s, cast(gamma, fp32), eps=eps), bf16)
    VecB16_1x4096 gamma_tile; TASSIGN<0x0c000>(gamma_tile);  // UB 0x0c000..0x0e000
    GammaGm gamma_in(gamma);
    TLOAD(gamma_tile, gamma_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
    VecF32_1x4096 y_1; TASSIGN<0x12000>(y_1);  // UB 0x12000..0x16000
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
    TCVT(y_1, gamma_tile, RoundMode::CAST_RINT, SaturationMode::ON);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t rows0 = rows_begin + block; rows0 < rows_end; rows0 += nblk, rows0_buffer ^= 1) {
        // s:   cast(x, fp32) + cast(residual, fp32)
        VecB16_8x4096_r1 x_tile; TASSIGN(x_tile, 0x00000 + rows0_buffer * 0x02000);  // UB 0x00000..0x04000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));  // free again
        XGm x_in(x + int64_t(rows0) * 4096);
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + rows0_buffer));
        VecB16_8x4096_r1 residual_tile; TASSIGN(residual_tile, 0x04000 + rows0_buffer * 0x02000);  // UB 0x04000..0x08000, 2 copies
        XGm residual_in(residual + int64_t(rows0) * 4096);
        TLOAD(residual_tile, residual_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        VecF32_8x4096_r1 s; TASSIGN(s, 0x16000);  // UB 0x16000..0x1a000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + rows0_buffer));
        TCVT(s, x_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_8x4096_r1 s_2; TASSIGN(s_2, 0x1a000);  // UB 0x1a000..0x1e000
        wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        TCVT(s_2, residual_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));
        pipe_barrier(PIPE_V);
        TADD(s, s, s_2);
        // sum: cast(s, bf16)
        VecB16_8x4096_r1 sum_tile; TASSIGN(sum_tile, 0x08000 + rows0_buffer * 0x02000);  // UB 0x08000..0x0c000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + rows0_buffer));  // free again
        TCVT(sum_tile, s, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + rows0_buffer));
        // y:   cast(rms_norm(s, cast(gamma, fp32), eps=eps), bf16)
        VecF32_8x4096_r1 y_square; TASSIGN(y_square, 0x1a000);  // UB 0x1a000..0x1e000
        TMUL(y_square, s, s);
        VecF32_8x4096_r1 y_var_part; TASSIGN(y_var_part, 0x1a000);  // UB 0x1a000..0x1e000
        pipe_barrier(PIPE_V);
        TMULS(y_var_part, y_square, 0.00024414062f);
        VecF32_8x4096_c2048_r1 y_var_part_2048; TASSIGN(y_var_part_2048, 0x1a000);  // columns 0.. of y_var_part
        VecF32_8x4096_c2048_r1 y_var_part_from_2048; TASSIGN(y_var_part_from_2048, 0x1c000);  // columns 2048.. of y_var_part
        pipe_barrier(PIPE_V);
        TADD(y_var_part_2048, y_var_part_2048, y_var_part_from_2048);
        VecF32_8x4096_c1024_r1 y_var_part_1024; TASSIGN(y_var_part_1024, 0x1a000);  // columns 0.. of y_var_part
        VecF32_8x4096_c1024_r1 y_var_part_from_1024; TASSIGN(y_var_part_from_1024, 0x1b000);  // columns 1024.. of y_var_part
        pipe_barrier(PIPE_V);
        TADD(y_var_part_1024, y_var_part_1024, y_var_part_from_1024);
        VecF32_8x1_r1 y_var; TASSIGN<0x1e000>(y_var);  // UB 0x1e000..0x1e020
        VecF32_8x128_r1 y_var_tmp; TASSIGN<0x1e020>(y_var_tmp);  // UB 0x1e020..0x1e220
        pipe_barrier(PIPE_V);
        TROWSUM(y_var, y_var_part_1024, y_var_tmp);
        VecF32_1x8_c1 y_var_eps_row; TASSIGN<0x1a000>(y_var_eps_row);  // as a row, same bytes as y_var_eps
        VecF32_1x8_c1 y_var_row; TASSIGN<0x1e000>(y_var_row);  // as a row, same bytes as y_var
        pipe_barrier(PIPE_V);
        TADDS(y_var_eps_row, y_var_row, eps);
        VecF32_1x8_c1 y_std_row; TASSIGN<0x1a000>(y_std_row);  // as a row, same bytes as y_std
        pipe_barrier(PIPE_V);
        TSQRT(y_std_row, y_var_eps_row);
        VecF32_1x8_c1 y_std_inverse_row; TASSIGN<0x1a020>(y_std_inverse_row);  // as a row, same bytes as y_std_inverse
        pipe_barrier(PIPE_V);
        TRECIP(y_std_inverse_row, y_std_row);
        VecF32_8x4096_r1 y_unit; TASSIGN(y_unit, 0x16000);  // UB 0x16000..0x1a000
        VecF32_8x1_r1 y_std_inverse; TASSIGN<0x1a020>(y_std_inverse);  // UB 0x1a020..0x1a040
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(y_unit, s, y_std_inverse);
        VecF32_8x4096_r1 y_3; TASSIGN(y_3, 0x16000);  // UB 0x16000..0x1a000
        pipe_barrier(PIPE_V);
        TCOLEXPANDMUL(y_3, y_unit, y_1);
        VecB16_8x4096_r1 y_tile; TASSIGN(y_tile, 0x0e000 + rows0_buffer * 0x02000);  // UB 0x0e000..0x12000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));  // free again
        TCVT(y_tile, y_3, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + rows0_buffer));
        // sum: cast(s, bf16)
        XGm sum_out(sum + int64_t(rows0) * 4096);
        TSTORE(sum_out, sum_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        // y:   cast(rms_norm(s, cast(gamma, fp32), eps=eps), bf16)
        XGm y_out(y + int64_t(rows0) * 4096);
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void rms_norm_residual(
    __gm__ bfloat16_t *sum, __gm__ bfloat16_t *y, __gm__ bfloat16_t *x, __gm__ bfloat16_t *residual,
    __gm__ bfloat16_t *gamma, float eps, int32_t rows_begin, int32_t rows_end, int32_t nblk)
{
    run_block(sum, y, x, residual, gamma, eps, rows_begin, rows_end, nblk, static_cast<int32_t>(get_block_idx()));
}
