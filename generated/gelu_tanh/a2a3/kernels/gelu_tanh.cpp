// gelu_tanh: vector kernel of `gelu_tanh` for a2a3. Made by pyptogen; change the spec, not this file.
// stages gelu_tanh; tiles rows 2; memory UB 163840 B
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
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t rows0 = rows_begin + block * 2; rows0 < rows_end; rows0 += nblk * 2, rows0_buffer ^= 1) {
        const int32_t rows0_valid = rows_end - rows0 < 2 ? rows_end - rows0 : 2;
        // y: gelu_tanh(x)
        VecB16_2x4096 x_tile(rows0_valid); TASSIGN(x_tile, 0x00000 + rows0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));  // free again
        XGm x_in(x + int64_t(rows0) * 4096, {rows0_valid});
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        VecF32_2x4096 y_x(rows0_valid); TASSIGN<0x10000>(y_x);  // UB 0x10000..0x18000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        TCVT(y_x, x_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));
        VecF32_2x4096 y_half(rows0_valid); TASSIGN<0x18000>(y_half);  // UB 0x18000..0x20000
        pipe_barrier(PIPE_V);
        TMULS(y_half, y_x, 0.5f);
        VecF32_2x4096 y_square(rows0_valid); TASSIGN<0x20000>(y_square);  // UB 0x20000..0x28000
        TMUL(y_square, y_x, y_x);
        VecF32_2x4096 y_cube(rows0_valid); TASSIGN<0x20000>(y_cube);  // UB 0x20000..0x28000
        pipe_barrier(PIPE_V);
        TMUL(y_cube, y_square, y_x);
        VecF32_2x4096 y_1(rows0_valid); TASSIGN<0x20000>(y_1);  // UB 0x20000..0x28000
        pipe_barrier(PIPE_V);
        TMULS(y_1, y_cube, 0.044715f);
        VecF32_2x4096 y_bent(rows0_valid); TASSIGN<0x10000>(y_bent);  // UB 0x10000..0x18000
        pipe_barrier(PIPE_V);
        TADD(y_bent, y_x, y_1);
        VecF32_2x4096 y_angle(rows0_valid); TASSIGN<0x10000>(y_angle);  // UB 0x10000..0x18000
        pipe_barrier(PIPE_V);
        TMULS(y_angle, y_bent, 0.7978846f);
        VecF32_2x4096 y_2(rows0_valid); TASSIGN<0x10000>(y_2);  // UB 0x10000..0x18000
        pipe_barrier(PIPE_V);
        TMULS(y_2, y_angle, 2.0f);
        VecF32_2x4096 y_e2(rows0_valid); TASSIGN<0x10000>(y_e2);  // UB 0x10000..0x18000
        pipe_barrier(PIPE_V);
        TEXP(y_e2, y_2);
        VecF32_2x4096 y_3(rows0_valid); TASSIGN<0x10000>(y_3);  // UB 0x10000..0x18000
        pipe_barrier(PIPE_V);
        TADDS(y_3, y_e2, 1.0f);
        VecF32_2x4096 y_share(rows0_valid); TASSIGN<0x20000>(y_share);  // UB 0x20000..0x28000
        pipe_barrier(PIPE_V);
        TDIVS(y_share, 2.0f, y_3);
        VecF32_2x4096 y_tanh(rows0_valid); TASSIGN<0x10000>(y_tanh);  // UB 0x10000..0x18000
        pipe_barrier(PIPE_V);
        TNEG(y_tanh, y_share);
        pipe_barrier(PIPE_V);
        TADDS(y_tanh, y_tanh, 1.0f);
        VecF32_2x4096 y_4(rows0_valid); TASSIGN<0x10000>(y_4);  // UB 0x10000..0x18000
        pipe_barrier(PIPE_V);
        TADDS(y_4, y_tanh, 1.0f);
        pipe_barrier(PIPE_V);
        TMUL(y_4, y_half, y_4);
        VecB16_2x4096 y_tile(rows0_valid); TASSIGN(y_tile, 0x08000 + rows0_buffer * 0x04000);  // UB 0x08000..0x10000, 2 copies
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

extern "C" __global__ AICORE void gelu_tanh(
    __gm__ bfloat16_t *y, __gm__ bfloat16_t *x, int32_t rows_begin, int32_t rows_end, int32_t nblk)
{
    run_block(y, x, rows_begin, rows_end, nblk, static_cast<int32_t>(get_block_idx()));
}
