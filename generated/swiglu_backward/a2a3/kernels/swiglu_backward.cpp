// swiglu_backward: vector kernel of `swiglu_backward` for a2a3. Made by pyptogen; change the spec, not this file.
// stages swiglu_backward; tiles rows 2; memory UB 147456 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_2x2048 = Tile<TileType::Vec, bfloat16_t, 2, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using VecF32_2x2048 = Tile<TileType::Vec, float, 2, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using GateGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 2048>, Stride<1, 1, 1, 2048, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *d_up,
    __gm__ bfloat16_t *d_gate,
    __gm__ bfloat16_t *gate,
    __gm__ bfloat16_t *d_y,
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
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t rows0 = rows_begin + block * 2; rows0 < rows_end; rows0 += nblk * 2, rows0_buffer ^= 1) {
        const int32_t rows0_valid = rows_end - rows0 < 2 ? rows_end - rows0 : 2;
        // g: cast(gate, fp32)
        VecB16_2x2048 gate_tile(rows0_valid); TASSIGN(gate_tile, 0x00000 + rows0_buffer * 0x02000);  // UB 0x00000..0x04000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + rows0_buffer));  // free again
        GateGm gate_in(gate + int64_t(rows0) * 2048, {rows0_valid});
        TLOAD(gate_tile, gate_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + rows0_buffer));
        // d: cast(d_y, fp32)
        VecB16_2x2048 d_y_tile(rows0_valid); TASSIGN(d_y_tile, 0x04000 + rows0_buffer * 0x02000);  // UB 0x04000..0x08000, 2 copies
        GateGm d_y_in(d_y + int64_t(rows0) * 2048, {rows0_valid});
        TLOAD(d_y_tile, d_y_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + rows0_buffer));
        // d_gate: cast(d * cast(up, fp32) * (s * (g * (1 - s) + 1)), bf16)
        VecB16_2x2048 up_tile(rows0_valid); TASSIGN(up_tile, 0x0c000 + rows0_buffer * 0x02000);  // UB 0x0c000..0x10000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));  // free again
        GateGm up_in(up + int64_t(rows0) * 2048, {rows0_valid});
        TLOAD(up_tile, up_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        // g: cast(gate, fp32)
        VecF32_2x2048 g(rows0_valid); TASSIGN<0x14000>(g);  // UB 0x14000..0x18000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + rows0_buffer));
        TCVT(g, gate_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        // d: cast(d_y, fp32)
        VecF32_2x2048 d(rows0_valid); TASSIGN<0x18000>(d);  // UB 0x18000..0x1c000
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + rows0_buffer));
        TCVT(d, d_y_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + rows0_buffer));
        // s: 1 / (exp(-g) + 1)
        VecF32_2x2048 s_1(rows0_valid); TASSIGN<0x1c000>(s_1);  // UB 0x1c000..0x20000
        pipe_barrier(PIPE_V);
        TNEG(s_1, g);
        pipe_barrier(PIPE_V);
        TEXP(s_1, s_1);
        pipe_barrier(PIPE_V);
        TADDS(s_1, s_1, 1.0f);
        VecF32_2x2048 s(rows0_valid); TASSIGN<0x20000>(s);  // UB 0x20000..0x24000
        pipe_barrier(PIPE_V);
        TDIVS(s, 1.0f, s_1);
        // d_up: cast(d * (g * s), bf16)
        VecF32_2x2048 d_up_1(rows0_valid); TASSIGN<0x1c000>(d_up_1);  // UB 0x1c000..0x20000
        pipe_barrier(PIPE_V);
        TMUL(d_up_1, g, s);
        pipe_barrier(PIPE_V);
        TMUL(d_up_1, d, d_up_1);
        VecB16_2x2048 d_up_tile(rows0_valid); TASSIGN(d_up_tile, 0x08000 + rows0_buffer * 0x02000);  // UB 0x08000..0x0c000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + rows0_buffer));  // free again
        TCVT(d_up_tile, d_up_1, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + rows0_buffer));
        // d_gate: cast(d * cast(up, fp32) * (s * (g * (1 - s) + 1)), bf16)
        VecF32_2x2048 d_gate_1(rows0_valid); TASSIGN<0x1c000>(d_gate_1);  // UB 0x1c000..0x20000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        TCVT(d_gate_1, up_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));
        VecF32_2x2048 d_gate_2(rows0_valid); TASSIGN<0x18000>(d_gate_2);  // UB 0x18000..0x1c000
        pipe_barrier(PIPE_V);
        TMUL(d_gate_2, d, d_gate_1);
        VecF32_2x2048 d_gate_3(rows0_valid); TASSIGN<0x1c000>(d_gate_3);  // UB 0x1c000..0x20000
        pipe_barrier(PIPE_V);
        TNEG(d_gate_3, s);
        pipe_barrier(PIPE_V);
        TADDS(d_gate_3, d_gate_3, 1.0f);
        VecF32_2x2048 d_gate_4(rows0_valid); TASSIGN<0x14000>(d_gate_4);  // UB 0x14000..0x18000
        pipe_barrier(PIPE_V);
        TMUL(d_gate_4, g, d_gate_3);
        pipe_barrier(PIPE_V);
        TADDS(d_gate_4, d_gate_4, 1.0f);
        pipe_barrier(PIPE_V);
        TMUL(d_gate_4, s, d_gate_4);
        pipe_barrier(PIPE_V);
        TMUL(d_gate_4, d_gate_2, d_gate_4);
        VecB16_2x2048 d_gate_tile(rows0_valid); TASSIGN(d_gate_tile, 0x10000 + rows0_buffer * 0x02000);  // UB 0x10000..0x14000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));  // free again
        TCVT(d_gate_tile, d_gate_4, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + rows0_buffer));
        // d_up: cast(d * (g * s), bf16)
        GateGm d_up_out(d_up + int64_t(rows0) * 2048, {rows0_valid});
        TSTORE(d_up_out, d_up_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        // d_gate: cast(d * cast(up, fp32) * (s * (g * (1 - s) + 1)), bf16)
        GateGm d_gate_out(d_gate + int64_t(rows0) * 2048, {rows0_valid});
        TSTORE(d_gate_out, d_gate_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void swiglu_backward(
    __gm__ bfloat16_t *d_up, __gm__ bfloat16_t *d_gate, __gm__ bfloat16_t *gate, __gm__ bfloat16_t *d_y,
    __gm__ bfloat16_t *up, int32_t rows_begin, int32_t rows_end, int32_t nblk)
{
    run_block(d_up, d_gate, gate, d_y, up, rows_begin, rows_end, nblk, static_cast<int32_t>(get_block_idx()));
}
