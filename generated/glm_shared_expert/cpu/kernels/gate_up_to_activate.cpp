// gate_up_to_activate: mixed kernel of `glm_shared_expert` for cpu. Made by pyptogen; change the spec, not this file.
// stages gate_up, activate; tiles f 128, t 256 / 32; memory L0A 1310720 B, L0B 1310720 B, L0C 262144 B, UB 1152 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftI8_256x5120 = TileLeft<int8_t, 256, 5120, DYNAMIC, 5120>;
using RightI8_5120x128 = TileRight<int8_t, 5120, 128, 5120, 128>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using AccI32_256x128 = TileAcc<int32_t, 256, 128, DYNAMIC, 128>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_32x1 = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using XQGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 5120>, Stride<1, 1, 1, 5120, 1>>;
using WGateGm = GlobalTensor<int8_t, Shape<1, 1, 1, 5120, 128>, Stride<1, 1, 1, 163840, 1>, Layout::CPU_PACKED>;
using WGateScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>>;
using XScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using AGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 1536, 1>>;
}  // namespace

extern "C" __global__ AICORE void gate_up_to_activate(
    __gm__ float *a,
    __gm__ int8_t *x_q,
    __gm__ int8_t *w_gate,
    __gm__ int8_t *w_up,
    __gm__ float *x_scale,
    __gm__ float *w_gate_scale,
    __gm__ float *w_up_scale,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 256) {
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        // gate_i: matmul(x_q, w_gate, dtype=int32)
        LeftI8_256x5120 x_q_tile(t0_valid); TASSIGN(x_q_tile, 0x00000);  // L0A 0x00000..0x140000
        XQGm x_q_in(x_q + int64_t(t0) * 5120, {t0_valid});
        TLOAD(x_q_tile, x_q_in);
        for (int32_t f0 = block * 128; f0 < 1536; f0 += nblk * 128) {
            RightI8_5120x128 w_gate_tile; TASSIGN(w_gate_tile, 0x00000);  // L0B 0x00000..0xa0000
            WGateGm w_gate_in(w_gate + int64_t(f0) * 5120);
            TLOAD(w_gate_tile, w_gate_in);
            // up_i:   matmul(x_q, w_up, dtype=int32)
            RightI8_5120x128 w_up_tile; TASSIGN(w_up_tile, 0xa0000);  // L0B 0xa0000..0x140000
            WGateGm w_up_in(w_up + int64_t(f0) * 5120);
            TLOAD(w_up_tile, w_up_in);
            // gate: cast(gate_i, fp32) * x_scale * w_gate_scale
            VecF32_1x128 w_gate_scale_tile; TASSIGN(w_gate_scale_tile, 0x00000);  // UB 0x00000..0x00200
            WGateScaleGm w_gate_scale_in(w_gate_scale + int64_t(f0));
            TLOAD(w_gate_scale_tile, w_gate_scale_in);
            // up:   cast(up_i, fp32) * x_scale * w_up_scale
            VecF32_1x128 w_up_scale_tile; TASSIGN(w_up_scale_tile, 0x00200);  // UB 0x00200..0x00400
            WGateScaleGm w_up_scale_in(w_up_scale + int64_t(f0));
            TLOAD(w_up_scale_tile, w_up_scale_in);
            // gate_i: matmul(x_q, w_gate, dtype=int32)
            AccI32_256x128 gate_i_acc(t0_valid); TASSIGN(gate_i_acc, 0x00000);  // L0C 0x00000..0x20000
            TMATMUL(gate_i_acc, x_q_tile, w_gate_tile);
            // up_i:   matmul(x_q, w_up, dtype=int32)
            AccI32_256x128 up_i_acc(t0_valid); TASSIGN(up_i_acc, 0x20000);  // L0C 0x20000..0x40000
            TMATMUL(up_i_acc, x_q_tile, w_up_tile);
            for (int32_t t1 = t0; t1 < t0 + t0_valid; t1 += 32) {
                const int32_t t1_valid = t0 + t0_valid - t1 < 32 ? t0 + t0_valid - t1 : 32;
                // gate: cast(gate_i, fp32) * x_scale * w_gate_scale
                VecF32_1x32 x_scale_tile_row(t1_valid); TASSIGN(x_scale_tile_row, 0x00400);  // as a row, same bytes as x_scale_tile
                XScaleGm x_scale_in(x_scale + int64_t(t1), {t1_valid});
                TLOAD(x_scale_tile_row, x_scale_in);
                VecF32_32x1 x_scale_tile(t1_valid); TASSIGN(x_scale_tile, 0x00400);  // UB 0x00400..0x00480
                AGm a_out(a + int64_t(t1) * 1536 + int64_t(f0), {t1_valid});
                TPASS<4>(t1_valid, 128, [&](auto at) {
                    const auto gate_i = at.extract(gate_i_acc, t1 - t0);
                    const auto gate_1 = at.to_float(gate_i);
                    const auto gate_2 = gate_1 * at.column(x_scale_tile);
                    const auto gate = gate_2 * at.row(w_gate_scale_tile);
                    // up:   cast(up_i, fp32) * x_scale * w_up_scale
                    const auto up_i = at.extract(up_i_acc, t1 - t0);
                    const auto up_1 = at.to_float(up_i);
                    const auto up_2 = up_1 * at.column(x_scale_tile);
                    const auto up = up_2 * at.row(w_up_scale_tile);
                    // a:    gate / (1 + exp(-gate)) * up
                    const auto a_1 = -gate;
                    const auto a_2 = at.exp(a_1);
                    const auto a_3 = a_2 + 1.0f;
                    const auto a_4 = gate / a_3;
                    const auto a_tile = a_4 * up;
                    at.store(a_out, a_tile);
                });
            }
        }
    }
}
