// rms_norm_bf16: vector kernel of `rms_norm_bf16` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rms_norm_bf16; tiles rows 2; memory UB 156704 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x4096 = Tile<TileType::Vec, bfloat16_t, 1, 4096, BLayout::RowMajor, 1, 4096>;
using VecF32_1x4096 = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, 4096>;
using VecB16_8x4096 = Tile<TileType::Vec, bfloat16_t, 8, 4096, BLayout::RowMajor, DYNAMIC, 4096>;
using VecF32_8x4096 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, DYNAMIC, 4096>;
using VecF32_8x4096_c2048 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, DYNAMIC, 2048>;
using VecF32_8x4096_c1024 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, DYNAMIC, 1024>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_8x128 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using GammaGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 1, 1>>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 4096>, Stride<1, 1, 1, 4096, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *x,
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
    // y: cast(rms_norm(cast(x, fp32), cast(gamma, fp32), eps=eps), bf16)
    VecB16_1x4096 gamma_tile; TASSIGN<0x08000>(gamma_tile);  // UB 0x08000..0x0a000
    GammaGm gamma_in(gamma);
    TLOAD(gamma_tile, gamma_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
    VecF32_1x4096 y_2; TASSIGN<0x12000>(y_2);  // UB 0x12000..0x16000
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
    TCVT(y_2, gamma_tile, RoundMode::CAST_RINT, SaturationMode::ON);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t rows0 = rows_begin + block * 2; rows0 < rows_end; rows0 += nblk * 2, rows0_buffer ^= 1) {
        const int32_t rows0_valid = rows_end - rows0 < 2 ? rows_end - rows0 : 2;
        VecB16_8x4096 x_tile(rows0_valid); TASSIGN(x_tile, 0x00000 + rows0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));  // free again
        XGm x_in(x + int64_t(rows0) * 4096, {rows0_valid});
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        VecF32_8x4096 y_1(rows0_valid); TASSIGN(y_1, 0x16000);  // UB 0x16000..0x1e000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        TCVT(y_1, x_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));
        VecF32_8x4096 y_square(rows0_valid); TASSIGN(y_square, 0x1e000);  // UB 0x1e000..0x26000
        pipe_barrier(PIPE_V);
        TMUL(y_square, y_1, y_1);
        VecF32_8x4096 y_var_part(rows0_valid); TASSIGN(y_var_part, 0x1e000);  // UB 0x1e000..0x26000
        pipe_barrier(PIPE_V);
        TMULS(y_var_part, y_square, 0.00024414062f);
        VecF32_8x4096_c2048 y_var_part_2048(rows0_valid); TASSIGN(y_var_part_2048, 0x1e000);  // columns 0.. of y_var_part
        VecF32_8x4096_c2048 y_var_part_from_2048(rows0_valid); TASSIGN(y_var_part_from_2048, 0x20000);  // columns 2048.. of y_var_part
        pipe_barrier(PIPE_V);
        TADD(y_var_part_2048, y_var_part_2048, y_var_part_from_2048);
        VecF32_8x4096_c1024 y_var_part_1024(rows0_valid); TASSIGN(y_var_part_1024, 0x1e000);  // columns 0.. of y_var_part
        VecF32_8x4096_c1024 y_var_part_from_1024(rows0_valid); TASSIGN(y_var_part_from_1024, 0x1f000);  // columns 1024.. of y_var_part
        pipe_barrier(PIPE_V);
        TADD(y_var_part_1024, y_var_part_1024, y_var_part_from_1024);
        VecF32_8x1 y_var(rows0_valid); TASSIGN<0x26000>(y_var);  // UB 0x26000..0x26020
        VecF32_8x128 y_var_tmp(rows0_valid); TASSIGN<0x26020>(y_var_tmp);  // UB 0x26020..0x26420
        pipe_barrier(PIPE_V);
        TROWSUM(y_var, y_var_part_1024, y_var_tmp);
        VecF32_1x8 y_var_eps_row(rows0_valid); TASSIGN<0x1e000>(y_var_eps_row);  // as a row, same bytes as y_var_eps
        VecF32_1x8 y_var_row(rows0_valid); TASSIGN<0x26000>(y_var_row);  // as a row, same bytes as y_var
        pipe_barrier(PIPE_V);
        TADDS(y_var_eps_row, y_var_row, eps);
        VecF32_1x8 y_std_row(rows0_valid); TASSIGN<0x1e000>(y_std_row);  // as a row, same bytes as y_std
        pipe_barrier(PIPE_V);
        TSQRT(y_std_row, y_var_eps_row);
        VecF32_1x8 y_std_inverse_row(rows0_valid); TASSIGN<0x1e020>(y_std_inverse_row);  // as a row, same bytes as y_std_inverse
        pipe_barrier(PIPE_V);
        TRECIP(y_std_inverse_row, y_std_row);
        VecF32_8x4096 y_unit(rows0_valid); TASSIGN(y_unit, 0x16000);  // UB 0x16000..0x1e000
        VecF32_8x1 y_std_inverse(rows0_valid); TASSIGN<0x1e020>(y_std_inverse);  // UB 0x1e020..0x1e040
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(y_unit, y_1, y_std_inverse);
        VecF32_8x4096 y_4(rows0_valid); TASSIGN(y_4, 0x16000);  // UB 0x16000..0x1e000
        pipe_barrier(PIPE_V);
        TCOLEXPANDMUL(y_4, y_unit, y_2);
        VecB16_8x4096 y_tile(rows0_valid); TASSIGN(y_tile, 0x0a000 + rows0_buffer * 0x04000);  // UB 0x0a000..0x12000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));  // free again
        TCVT(y_tile, y_4, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        XGm y_out(y + int64_t(rows0) * 4096, {rows0_valid});
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void rms_norm_bf16(
    __gm__ bfloat16_t *y, __gm__ bfloat16_t *x, __gm__ bfloat16_t *gamma, float eps, int32_t rows_begin,
    int32_t rows_end, int32_t nblk)
{
    run_block(y, x, gamma, eps, rows_begin, rows_end, nblk, static_cast<int32_t>(get_block_idx()));
}
