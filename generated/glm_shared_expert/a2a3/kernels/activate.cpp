// activate: vector kernel of `glm_shared_expert` for a2a3. Made by pyptogen; change the spec, not this file.
// stages activate; tiles t 2; memory UB 122944 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x1536 = Tile<TileType::Vec, float, 1, 1536, BLayout::RowMajor, 1, 1536>;
using VecI32_8x1536 = Tile<TileType::Vec, int32_t, 8, 1536, BLayout::RowMajor, DYNAMIC, 1536>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x1536 = Tile<TileType::Vec, float, 8, 1536, BLayout::RowMajor, DYNAMIC, 1536>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using WGateScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, 1536>, Stride<1, 1, 1, 1, 1>>;
using GateIGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 1536>, Stride<1, 1, 1, 1536, 1>>;
using XScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using AGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1536>, Stride<1, 1, 1, 1536, 1>>;

AICORE inline void run_block(
    __gm__ float *a,
    __gm__ int32_t *gate_i,
    __gm__ float *x_scale,
    __gm__ float *w_gate_scale,
    __gm__ int32_t *up_i,
    __gm__ float *w_up_scale,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    // gate: cast(gate_i, fp32) * x_scale * w_gate_scale
    VecF32_1x1536 w_gate_scale_tile; TASSIGN<0x06040>(w_gate_scale_tile);  // UB 0x06040..0x07840
    WGateScaleGm w_gate_scale_in(w_gate_scale);
    TLOAD(w_gate_scale_tile, w_gate_scale_in);
    // up:   cast(up_i, fp32) * x_scale * w_up_scale
    VecF32_1x1536 w_up_scale_tile; TASSIGN<0x0d840>(w_up_scale_tile);  // UB 0x0d840..0x0f040
    WGateScaleGm w_up_scale_in(w_up_scale);
    TLOAD(w_up_scale_tile, w_up_scale_in);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 2; t0 < t_end; t0 += nblk * 2, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 2 ? t_end - t0 : 2;
        // gate: cast(gate_i, fp32) * x_scale * w_gate_scale
        VecI32_8x1536 gate_i_tile(t0_valid); TASSIGN(gate_i_tile, 0x00000 + t0_buffer * 0x03000);  // UB 0x00000..0x06000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_buffer));  // free again
        GateIGm gate_i_in(gate_i + int64_t(t0) * 1536, {t0_valid});
        TLOAD(gate_i_tile, gate_i_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_buffer));
        VecF32_1x8 x_scale_tile_row(t0_valid); TASSIGN(x_scale_tile_row, 0x06000 + t0_buffer * 0x00020);  // as a row, same bytes as x_scale_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        XScaleGm x_scale_in(x_scale + int64_t(t0), {t0_valid});
        TLOAD(x_scale_tile_row, x_scale_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        // up:   cast(up_i, fp32) * x_scale * w_up_scale
        VecI32_8x1536 up_i_tile(t0_valid); TASSIGN(up_i_tile, 0x07840 + t0_buffer * 0x03000);  // UB 0x07840..0x0d840, 2 copies
        GateIGm up_i_in(up_i + int64_t(t0) * 1536, {t0_valid});
        TLOAD(up_i_tile, up_i_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        // gate: cast(gate_i, fp32) * x_scale * w_gate_scale
        VecF32_8x1536 gate(t0_valid); TASSIGN<0x15040>(gate);  // UB 0x15040..0x18040
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_buffer));
        TCVT(gate, gate_i_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_buffer));
        VecF32_8x1 x_scale_tile(t0_valid); TASSIGN(x_scale_tile, 0x06000 + t0_buffer * 0x00020);  // UB 0x06000..0x06040, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        TROWEXPANDMUL(gate, gate, x_scale_tile);
        pipe_barrier(PIPE_V);
        TCOLEXPANDMUL(gate, gate, w_gate_scale_tile);
        // up:   cast(up_i, fp32) * x_scale * w_up_scale
        VecF32_8x1536 up(t0_valid); TASSIGN<0x18040>(up);  // UB 0x18040..0x1b040
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TCVT(up, up_i_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(up, up, x_scale_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        pipe_barrier(PIPE_V);
        TCOLEXPANDMUL(up, up, w_up_scale_tile);
        // a:    gate / (1 + exp(-gate)) * up
        VecF32_8x1536 a_1(t0_valid); TASSIGN<0x1b040>(a_1);  // UB 0x1b040..0x1e040
        TNEG(a_1, gate);
        pipe_barrier(PIPE_V);
        TEXP(a_1, a_1);
        pipe_barrier(PIPE_V);
        TADDS(a_1, a_1, 1.0f);
        VecF32_8x1536 a_4(t0_valid); TASSIGN<0x15040>(a_4);  // UB 0x15040..0x18040
        pipe_barrier(PIPE_V);
        TDIV(a_4, gate, a_1);
        VecF32_8x1536 a_tile(t0_valid); TASSIGN(a_tile, 0x0f040 + t0_buffer * 0x03000);  // UB 0x0f040..0x15040, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TMUL(a_tile, a_4, up);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        AGm a_out(a + int64_t(t0) * 1536, {t0_valid});
        TSTORE(a_out, a_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void activate(
    __gm__ float *a, __gm__ int32_t *gate_i, __gm__ float *x_scale, __gm__ float *w_gate_scale,
    __gm__ int32_t *up_i, __gm__ float *w_up_scale, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(
        a, gate_i, x_scale, w_gate_scale, up_i, w_up_scale, t_begin, t_end, nblk,
        static_cast<int32_t>(get_block_idx()));
}
