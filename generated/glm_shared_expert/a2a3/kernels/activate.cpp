// activate: vector kernel of `glm_shared_expert` for a2a3. Made by pyptogen; change the spec, not this file.
// stages activate; tiles f 256, t 16; memory UB 151680 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_16x256 = Tile<TileType::Vec, int32_t, 16, 256, BLayout::RowMajor, DYNAMIC, 256>;
using VecF32_1x256 = Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, 256>;
using VecF32_16x256 = Tile<TileType::Vec, float, 16, 256, BLayout::RowMajor, DYNAMIC, 256>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, DYNAMIC, 1>;
using XScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using GateIGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 1536, 1>>;
using WGateScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, 256>, Stride<1, 1, 1, 1, 1>>;
using AGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 1536, 1>>;

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
    int32_t f0_buffer = 0;  // which of 2 buffers this iteration of f0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID6); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 16; t0 < t_end; t0 += nblk * 16, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 16 ? t_end - t0 : 16;
        // gate: cast(gate_i, fp32) * x_scale * w_gate_scale
        VecF32_1x16 x_scale_tile_row(t0_valid); TASSIGN(x_scale_tile_row, 0x08000 + t0_buffer * 0x00040);  // as a row, same bytes as x_scale_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(6 + t0_buffer));  // free again
        XScaleGm x_scale_in(x_scale + int64_t(t0), {t0_valid});
        TLOAD(x_scale_tile_row, x_scale_in);
        for (int32_t f0 = 0; f0 < 1536; f0 += 256, f0_buffer ^= 1) {
            VecI32_16x256 gate_i_tile(t0_valid); TASSIGN(gate_i_tile, 0x00000 + f0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + f0_buffer));  // free again
            GateIGm gate_i_in(gate_i + int64_t(t0) * 1536 + int64_t(f0), {t0_valid});
            TLOAD(gate_i_tile, gate_i_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(6 + f0_buffer));
            VecF32_1x256 w_gate_scale_tile; TASSIGN(w_gate_scale_tile, 0x08080 + f0_buffer * 0x00400);  // UB 0x08080..0x08880, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + f0_buffer));  // free again
            WGateScaleGm w_gate_scale_in(w_gate_scale + int64_t(f0));
            TLOAD(w_gate_scale_tile, w_gate_scale_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(4 + f0_buffer));
            // up:   cast(up_i, fp32) * x_scale * w_up_scale
            VecI32_16x256 up_i_tile(t0_valid); TASSIGN(up_i_tile, 0x08880 + f0_buffer * 0x04000);  // UB 0x08880..0x10880, 2 copies
            GateIGm up_i_in(up_i + int64_t(t0) * 1536 + int64_t(f0), {t0_valid});
            TLOAD(up_i_tile, up_i_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(2 + f0_buffer));
            VecF32_1x256 w_up_scale_tile; TASSIGN(w_up_scale_tile, 0x10880 + f0_buffer * 0x00400);  // UB 0x10880..0x11080, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(f0_buffer));  // free again
            WGateScaleGm w_up_scale_in(w_up_scale + int64_t(f0));
            TLOAD(w_up_scale_tile, w_up_scale_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(f0_buffer));
            // gate: cast(gate_i, fp32) * x_scale * w_gate_scale
            VecF32_16x256 gate(t0_valid); TASSIGN<0x19080>(gate);  // UB 0x19080..0x1d080
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(6 + f0_buffer));
            TCVT(gate, gate_i_tile, RoundMode::CAST_RINT, SaturationMode::ON);
            set_flag(PIPE_V, PIPE_MTE2, event_t(4 + f0_buffer));
            VecF32_16x1 x_scale_tile(t0_valid); TASSIGN(x_scale_tile, 0x08000 + t0_buffer * 0x00040);  // UB 0x08000..0x08080, 2 copies
            pipe_barrier(PIPE_V);
            TROWEXPANDMUL(gate, gate, x_scale_tile);
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + f0_buffer));
            TCOLEXPANDMUL(gate, gate, w_gate_scale_tile);
            // up:   cast(up_i, fp32) * x_scale * w_up_scale
            VecF32_16x256 up(t0_valid); TASSIGN<0x1d080>(up);  // UB 0x1d080..0x21080
            wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + f0_buffer));
            TCVT(up, up_i_tile, RoundMode::CAST_RINT, SaturationMode::ON);
            set_flag(PIPE_V, PIPE_MTE2, event_t(2 + f0_buffer));
            pipe_barrier(PIPE_V);
            TROWEXPANDMUL(up, up, x_scale_tile);
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(f0_buffer));
            TCOLEXPANDMUL(up, up, w_up_scale_tile);
            set_flag(PIPE_V, PIPE_MTE2, event_t(f0_buffer));
            // a:    gate / (1 + exp(-gate)) * up
            VecF32_16x256 a_1(t0_valid); TASSIGN<0x21080>(a_1);  // UB 0x21080..0x25080
            TNEG(a_1, gate);
            pipe_barrier(PIPE_V);
            TEXP(a_1, a_1);
            pipe_barrier(PIPE_V);
            TADDS(a_1, a_1, 1.0f);
            VecF32_16x256 a_4(t0_valid); TASSIGN<0x19080>(a_4);  // UB 0x19080..0x1d080
            pipe_barrier(PIPE_V);
            TDIV(a_4, gate, a_1);
            VecF32_16x256 a_tile(t0_valid); TASSIGN(a_tile, 0x11080 + f0_buffer * 0x04000);  // UB 0x11080..0x19080, 2 copies
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, event_t(f0_buffer));  // free again
            TMUL(a_tile, a_4, up);
            set_flag(PIPE_V, PIPE_MTE3, event_t(f0_buffer));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(f0_buffer));
            AGm a_out(a + int64_t(t0) * 1536 + int64_t(f0), {t0_valid});
            TSTORE(a_out, a_tile);
            set_flag(PIPE_MTE3, PIPE_V, event_t(f0_buffer));
        }
        set_flag(PIPE_V, PIPE_MTE2, event_t(6 + t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID6); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);  // drain: the last use of each of 2 buffers
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
