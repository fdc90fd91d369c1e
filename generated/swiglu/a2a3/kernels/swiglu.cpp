// swiglu: vector kernel of `swiglu` for a2a3. Made by pyptogen; change the spec, not this file.
// stages swiglu; tiles rows 4; memory UB 163840 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_4x2048 = Tile<TileType::Vec, bfloat16_t, 4, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using VecF32_4x2048 = Tile<TileType::Vec, float, 4, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using GateGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 2048>, Stride<1, 1, 1, 2048, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *gate,
    __gm__ bfloat16_t *up,
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
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t rows0 = rows_begin + block * 4; rows0 < rows_end; rows0 += nblk * 4, rows0_buffer ^= 1) {
        const int32_t rows0_valid = rows_end - rows0 < 4 ? rows_end - rows0 : 4;
        // g: cast(gate, fp32)
        VecB16_4x2048 gate_tile(rows0_valid); TASSIGN(gate_tile, 0x00000 + rows0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + rows0_buffer));  // free again
        GateGm gate_in(gate + int64_t(rows0) * 2048, {rows0_valid});
        TLOAD(gate_tile, gate_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + rows0_buffer));
        // y: cast(g / (exp(-g) + 1) * cast(up, fp32), bf16)
        VecB16_4x2048 up_tile(rows0_valid); TASSIGN(up_tile, 0x08000 + rows0_buffer * 0x04000);  // UB 0x08000..0x10000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));  // free again
        GateGm up_in(up + int64_t(rows0) * 2048, {rows0_valid});
        TLOAD(up_tile, up_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        // g: cast(gate, fp32)
        VecF32_4x2048 g(rows0_valid); TASSIGN<0x18000>(g);  // UB 0x18000..0x20000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + rows0_buffer));
        TCVT(g, gate_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + rows0_buffer));
        // y: cast(g / (exp(-g) + 1) * cast(up, fp32), bf16)
        VecF32_4x2048 y_1(rows0_valid); TASSIGN<0x20000>(y_1);  // UB 0x20000..0x28000
        pipe_barrier(PIPE_V);
        TNEG(y_1, g);
        pipe_barrier(PIPE_V);
        TEXP(y_1, y_1);
        pipe_barrier(PIPE_V);
        TADDS(y_1, y_1, 1.0f);
        VecF32_4x2048 y_4(rows0_valid); TASSIGN<0x18000>(y_4);  // UB 0x18000..0x20000
        pipe_barrier(PIPE_V);
        TDIV(y_4, g, y_1);
        VecF32_4x2048 y_5(rows0_valid); TASSIGN<0x20000>(y_5);  // UB 0x20000..0x28000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        TCVT(y_5, up_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));
        pipe_barrier(PIPE_V);
        TMUL(y_4, y_4, y_5);
        VecB16_4x2048 y_tile(rows0_valid); TASSIGN(y_tile, 0x10000 + rows0_buffer * 0x04000);  // UB 0x10000..0x18000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));  // free again
        TCVT(y_tile, y_4, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        GateGm y_out(y + int64_t(rows0) * 2048, {rows0_valid});
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void swiglu(
    __gm__ bfloat16_t *y, __gm__ bfloat16_t *gate, __gm__ bfloat16_t *up, int32_t rows_begin, int32_t rows_end,
    int32_t nblk)
{
    run_block(y, gate, up, rows_begin, rows_end, nblk, static_cast<int32_t>(get_block_idx()));
}
