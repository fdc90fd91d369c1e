// gelu: vector kernel of `gelu` for a2a3. Made by pyptogen; change the spec, not this file.
// stages gelu; tiles rows 2; memory UB 180224 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_2x4096 = Tile<TileType::Vec, bfloat16_t, 2, 4096, BLayout::RowMajor, DYNAMIC, 4096>;
using VecF32_2x4096 = Tile<TileType::Vec, float, 2, 4096, BLayout::RowMajor, DYNAMIC, 4096>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 4096>, Stride<1, 1, 1, 4096, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *x,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t rows0_buffer = 0;  // which of 2 buffers this iteration of rows0 uses
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t rows0 = rows_begin + block * 2; rows0 < rows_end; rows0 += nblk * 2, rows0_buffer ^= 1) {
        const int32_t rows0_valid = rows_end - rows0 < 2 ? rows_end - rows0 : 2;
        // y: gelu(x)
        VecB16_2x4096 x_tile(rows0_valid); TASSIGN(x_tile, 0x00000 + rows0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));  // free again
        XGm x_in(x + int64_t(rows0) * 4096, {rows0_valid});
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        VecF32_2x4096 y_x(rows0_valid); TASSIGN<0x0c000>(y_x);  // UB 0x0c000..0x14000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        TCVT(y_x, x_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));
        VecF32_2x4096 y_half(rows0_valid); TASSIGN<0x14000>(y_half);  // UB 0x14000..0x1c000
        pipe_barrier(PIPE_V);
        TMULS(y_half, y_x, 0.5f);
        VecF32_2x4096 y_angle(rows0_valid); TASSIGN<0x0c000>(y_angle);  // UB 0x0c000..0x14000
        pipe_barrier(PIPE_V);
        TMULS(y_angle, y_x, 0.70710677f);
        VecF32_2x4096 y_inner(rows0_valid); TASSIGN<0x0c000>(y_inner);  // UB 0x0c000..0x14000
        pipe_barrier(PIPE_V);
        TMAXS(y_inner, y_angle, -4.0f);
        pipe_barrier(PIPE_V);
        TMINS(y_inner, y_inner, 4.0f);
        VecF32_2x4096 y_square(rows0_valid); TASSIGN<0x1c000>(y_square);  // UB 0x1c000..0x24000
        pipe_barrier(PIPE_V);
        TMUL(y_square, y_inner, y_inner);
        VecF32_2x4096 y_p(rows0_valid); TASSIGN<0x24000>(y_p);  // UB 0x24000..0x2c000
        pipe_barrier(PIPE_V);
        TMULS(y_p, y_square, 1.9867327e-06f);
        pipe_barrier(PIPE_V);
        TADDS(y_p, y_p, 0.00028456512f);
        pipe_barrier(PIPE_V);
        TMUL(y_p, y_p, y_square);
        pipe_barrier(PIPE_V);
        TADDS(y_p, y_p, 0.003883423f);
        pipe_barrier(PIPE_V);
        TMUL(y_p, y_p, y_square);
        pipe_barrier(PIPE_V);
        TADDS(y_p, y_p, 0.053101983f);
        pipe_barrier(PIPE_V);
        TMUL(y_p, y_p, y_square);
        pipe_barrier(PIPE_V);
        TADDS(y_p, y_p, 0.19354726f);
        pipe_barrier(PIPE_V);
        TMUL(y_p, y_p, y_square);
        pipe_barrier(PIPE_V);
        TADDS(y_p, y_p, 1.1283791f);
        VecF32_2x4096 y_above(rows0_valid); TASSIGN<0x0c000>(y_above);  // UB 0x0c000..0x14000
        pipe_barrier(PIPE_V);
        TMUL(y_above, y_inner, y_p);
        VecF32_2x4096 y_q(rows0_valid); TASSIGN<0x24000>(y_q);  // UB 0x24000..0x2c000
        pipe_barrier(PIPE_V);
        TMULS(y_q, y_square, 3.7419617e-05f);
        pipe_barrier(PIPE_V);
        TADDS(y_q, y_q, 0.0011855855f);
        pipe_barrier(PIPE_V);
        TMUL(y_q, y_q, y_square);
        pipe_barrier(PIPE_V);
        TADDS(y_q, y_q, 0.015207412f);
        pipe_barrier(PIPE_V);
        TMUL(y_q, y_q, y_square);
        pipe_barrier(PIPE_V);
        TADDS(y_q, y_q, 0.115350865f);
        pipe_barrier(PIPE_V);
        TMUL(y_q, y_q, y_square);
        pipe_barrier(PIPE_V);
        TADDS(y_q, y_q, 0.5048593f);
        VecF32_2x4096 y_q_9(rows0_valid); TASSIGN<0x1c000>(y_q_9);  // UB 0x1c000..0x24000
        pipe_barrier(PIPE_V);
        TMUL(y_q_9, y_q, y_square);
        pipe_barrier(PIPE_V);
        TADDS(y_q_9, y_q_9, 1.0f);
        VecF32_2x4096 y_ratio(rows0_valid); TASSIGN<0x0c000>(y_ratio);  // UB 0x0c000..0x14000
        pipe_barrier(PIPE_V);
        TDIV(y_ratio, y_above, y_q_9);
        VecF32_2x4096 y_erf(rows0_valid); TASSIGN<0x0c000>(y_erf);  // UB 0x0c000..0x14000
        pipe_barrier(PIPE_V);
        TMAXS(y_erf, y_ratio, -1.0f);
        pipe_barrier(PIPE_V);
        TMINS(y_erf, y_erf, 1.0f);
        VecF32_2x4096 y_1(rows0_valid); TASSIGN<0x0c000>(y_1);  // UB 0x0c000..0x14000
        pipe_barrier(PIPE_V);
        TADDS(y_1, y_erf, 1.0f);
        pipe_barrier(PIPE_V);
        TMUL(y_1, y_half, y_1);
        VecB16_2x4096 y_tile(rows0_valid); TASSIGN<0x08000>(y_tile);  // UB 0x08000..0x0c000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TCVT(y_tile, y_1, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        XGm y_out(y + int64_t(rows0) * 4096, {rows0_valid});
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void gelu(
    __gm__ bfloat16_t *y, __gm__ bfloat16_t *x, int32_t rows_begin, int32_t rows_end, int32_t nblk)
{
    run_block(y, x, rows_begin, rows_end, nblk, static_cast<int32_t>(get_block_idx()));
}
