// activate: vector kernel of `glm_shared_expert` for a2a3. Made by pyptogen; change the spec, not this file.
// stages activate; tiles f 256, t 16; memory UB 100416 B
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
}  // namespace

extern "C" __global__ AICORE void activate(
    __gm__ float *a,
    __gm__ int32_t *gate_i,
    __gm__ float *x_scale,
    __gm__ float *w_gate_scale,
    __gm__ int32_t *up_i,
    __gm__ float *w_up_scale,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free for the first round
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free for the first round
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free for the first round
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free for the first round
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // free for the first round
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // free for the first round
    for (int32_t t0 = t_begin + block * 16; t0 < t_end; t0 += nblk * 16) {
        const int32_t t0_valid = t_end - t0 < 16 ? t_end - t0 : 16;
        // gate: cast(gate_i, fp32) * x_scale * w_gate_scale  [glm_shared_expert.yaml:33]
        VecF32_1x16 x_scale_tile_row(t0_valid); TASSIGN(x_scale_tile_row, 0x04000);  // as a row, same bytes as x_scale_tile
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // free again
        XScaleGm x_scale_in(x_scale + int64_t(t0), {t0_valid});
        TLOAD(x_scale_tile_row, x_scale_in);
        for (int32_t f0 = 0; f0 < 1536; f0 += 256) {
            VecI32_16x256 gate_i_tile(t0_valid); TASSIGN(gate_i_tile, 0x00000);  // UB 0x00000..0x04000
            wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // free again
            GateIGm gate_i_in(gate_i + int64_t(t0) * 1536 + int64_t(f0), {t0_valid});
            TLOAD(gate_i_tile, gate_i_in);
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
            VecF32_1x256 gate_w_gate_scale_row; TASSIGN(gate_w_gate_scale_row, 0x04040);  // UB 0x04040..0x04440
            wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free again
            WGateScaleGm w_gate_scale_in(w_gate_scale + int64_t(f0));
            TLOAD(gate_w_gate_scale_row, w_gate_scale_in);
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
            // up:   cast(up_i, fp32) * x_scale * w_up_scale  [glm_shared_expert.yaml:34]
            VecI32_16x256 up_i_tile(t0_valid); TASSIGN(up_i_tile, 0x04440);  // UB 0x04440..0x08440
            wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free again
            GateIGm up_i_in(up_i + int64_t(t0) * 1536 + int64_t(f0), {t0_valid});
            TLOAD(up_i_tile, up_i_in);
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
            VecF32_1x256 up_w_up_scale_row; TASSIGN(up_w_up_scale_row, 0x08440);  // UB 0x08440..0x08840
            wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free again
            WGateScaleGm w_up_scale_in(w_up_scale + int64_t(f0));
            TLOAD(up_w_up_scale_row, w_up_scale_in);
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
            // gate: cast(gate_i, fp32) * x_scale * w_gate_scale  [glm_shared_expert.yaml:33]
            VecF32_16x256 gate_1(t0_valid); TASSIGN(gate_1, 0x0c840);  // UB 0x0c840..0x10840
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
            TCVT(gate_1, gate_i_tile, RoundMode::CAST_RINT);
            set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);
            VecF32_16x256 gate_2(t0_valid); TASSIGN(gate_2, 0x0c840);  // UB 0x0c840..0x10840
            VecF32_16x1 x_scale_tile(t0_valid); TASSIGN(x_scale_tile, 0x04000);  // UB 0x04000..0x04040
            pipe_barrier(PIPE_V);
            TROWEXPANDMUL(gate_2, gate_1, x_scale_tile);
            VecF32_16x256 gate(t0_valid); TASSIGN(gate, 0x0c840);  // UB 0x0c840..0x10840
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
            TCOLEXPANDMUL(gate, gate_2, gate_w_gate_scale_row);
            set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);
            // up:   cast(up_i, fp32) * x_scale * w_up_scale  [glm_shared_expert.yaml:34]
            VecF32_16x256 up_1(t0_valid); TASSIGN(up_1, 0x10840);  // UB 0x10840..0x14840
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
            TCVT(up_1, up_i_tile, RoundMode::CAST_RINT);
            set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
            VecF32_16x256 up_2(t0_valid); TASSIGN(up_2, 0x10840);  // UB 0x10840..0x14840
            pipe_barrier(PIPE_V);
            TROWEXPANDMUL(up_2, up_1, x_scale_tile);
            VecF32_16x256 up(t0_valid); TASSIGN(up, 0x10840);  // UB 0x10840..0x14840
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
            TCOLEXPANDMUL(up, up_2, up_w_up_scale_row);
            set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
            // a:    gate / (1 + exp(-gate)) * up  [glm_shared_expert.yaml:35]
            VecF32_16x256 a_1(t0_valid); TASSIGN(a_1, 0x14840);  // UB 0x14840..0x18840
            TNEG(a_1, gate);
            VecF32_16x256 a_2(t0_valid); TASSIGN(a_2, 0x14840);  // UB 0x14840..0x18840
            pipe_barrier(PIPE_V);
            TEXP(a_2, a_1);
            VecF32_16x256 a_3(t0_valid); TASSIGN(a_3, 0x14840);  // UB 0x14840..0x18840
            pipe_barrier(PIPE_V);
            TADDS(a_3, a_2, 1.0f);
            VecF32_16x256 a_4(t0_valid); TASSIGN(a_4, 0x0c840);  // UB 0x0c840..0x10840
            pipe_barrier(PIPE_V);
            TDIV(a_4, gate, a_3);
            VecF32_16x256 a_tile(t0_valid); TASSIGN(a_tile, 0x08840);  // UB 0x08840..0x0c840
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
            TMUL(a_tile, a_4, up);
            set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
            wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
            AGm a_out(a + int64_t(t0) * 1536 + int64_t(f0), {t0_valid});
            TSTORE(a_out, a_tile);
            set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
        }
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // of the last round
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // of the last round
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // of the last round
#endif
}
