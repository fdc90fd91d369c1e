// relu: vector kernel of `relu` for a2a3. Made by pyptogen; change the spec, not this file.
// stages relu; tiles rows 2; memory UB 98304 B
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
        // y: cast(relu(cast(x, fp32)), bf16)
        VecB16_2x4096 x_tile(rows0_valid); TASSIGN(x_tile, 0x00000 + rows0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));  // free again
        XGm x_in(x + int64_t(rows0) * 4096, {rows0_valid});
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        VecF32_2x4096 y_1(rows0_valid); TASSIGN<0x10000>(y_1);  // UB 0x10000..0x18000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        TCVT(y_1, x_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));
        pipe_barrier(PIPE_V);
        TRELU(y_1, y_1);
        VecB16_2x4096 y_tile(rows0_valid); TASSIGN(y_tile, 0x08000 + rows0_buffer * 0x04000);  // UB 0x08000..0x10000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));  // free again
        TCVT(y_tile, y_1, RoundMode::CAST_RINT, SaturationMode::ON);
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

extern "C" __global__ AICORE void relu(
    __gm__ bfloat16_t *y, __gm__ bfloat16_t *x, int32_t rows_begin, int32_t rows_end, int32_t nblk)
{
    run_block(y, x, rows_begin, rows_end, nblk, static_cast<int32_t>(get_block_idx()));
}
