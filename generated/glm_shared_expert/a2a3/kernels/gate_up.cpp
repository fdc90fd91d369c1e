// gate_up: cube kernel of `glm_shared_expert` for a2a3. Made by pyptogen; change the spec, not this file.
// stages gate_up; tiles f 128, h 512, h.l0 128, t 128; memory L0A 65536 B, L0B 65536 B, L0C 131072 B, L1 393216 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccI32_128x128 = TileAccCompact<int32_t, 128, 128, DYNAMIC, 128>;
using MatI8_128x512 = Tile<TileType::Mat, int8_t, 128, 512, BLayout::ColMajor, DYNAMIC, 512, SLayout::RowMajor, 512>;
using MatI8_512x128 = Tile<TileType::Mat, int8_t, 512, 128, BLayout::ColMajor, 512, 128, SLayout::RowMajor, 512>;
using LeftI8_128x128 = TileLeft<int8_t, 128, 128, DYNAMIC, 128>;
using RightI8_128x128 = TileRight<int8_t, 128, 128, 128, 128>;
using XQGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 5120, 1>>;
using WGateGm = GlobalTensor<int8_t, Shape<1, 4, 32, 16, 32>, Stride<1, 163840, 512, 32, 1>, Layout::NZ>;
using GateIGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 1536, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *gate_i,
    __gm__ int32_t *up_i,
    __gm__ int8_t *x_q,
    __gm__ int8_t *w_gate,
    __gm__ int8_t *w_up,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t h0_buffer = 0;  // which of 2 buffers this iteration of h0 uses
    int32_t k1_buffer = 0;  // which of 2 buffers this iteration of k1 uses
    int32_t k1_buffer_2 = 0;  // which of 2 buffers this iteration of k1 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID2); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID3);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 127) / 128 * 12;  // of t0 and f0
    for (int32_t tile = block; tile < tiles; tile += nblk) {
        const int32_t t0 = t_begin + tile / 12 * 128;
        const int32_t t0_valid = t_end - t0 < 128 ? t_end - t0 : 128;
        const int32_t f0 = tile % 12 * 128;
        AccI32_128x128 gate_i_acc(t0_valid); TASSIGN<0x00000>(gate_i_acc);  // L0C 0x00000..0x10000
        AccI32_128x128 up_i_acc(t0_valid); TASSIGN<0x10000>(up_i_acc);  // L0C 0x10000..0x20000
        for (int32_t h0 = 0; h0 < 5120; h0 += 512, h0_buffer ^= 1) {
            // gate_i: matmul(x_q, w_gate, dtype=int32)
            MatI8_128x512 x_q_tile(t0_valid); TASSIGN(x_q_tile, 0x00000 + h0_buffer * 0x10000);  // L1 0x00000..0x20000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(h0_buffer));  // free again
            XQGm x_q_in(x_q + int64_t(t0) * 5120 + int64_t(h0), {t0_valid});
            TLOAD(x_q_tile, x_q_in);
            MatI8_512x128 w_gate_tile; TASSIGN(w_gate_tile, 0x20000 + h0_buffer * 0x10000);  // L1 0x20000..0x40000, 2 copies
            WGateGm w_gate_in(w_gate + int64_t(f0) * 5120 + int64_t(h0) * 32);
            TLOAD(w_gate_tile, w_gate_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + h0_buffer));
            // up_i:   matmul(x_q, w_up, dtype=int32)
            MatI8_512x128 w_up_tile; TASSIGN(w_up_tile, 0x40000 + h0_buffer * 0x10000);  // L1 0x40000..0x60000, 2 copies
            WGateGm w_up_in(w_up + int64_t(f0) * 5120 + int64_t(h0) * 32);
            TLOAD(w_up_tile, w_up_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(h0_buffer));
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + h0_buffer));
            for (int32_t k1 = 0; k1 < 512; k1 += 128, k1_buffer ^= 1) {
                // gate_i: matmul(x_q, w_gate, dtype=int32)
                LeftI8_128x128 x_q_tile_l0a(t0_valid); TASSIGN(x_q_tile_l0a, 0x00000 + k1_buffer * 0x04000);  // L0A 0x00000..0x08000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));  // free again
                TEXTRACT(x_q_tile_l0a, x_q_tile, 0, k1);
                RightI8_128x128 w_gate_tile_l0b; TASSIGN(w_gate_tile_l0b, 0x00000 + k1_buffer * 0x04000);  // L0B 0x00000..0x08000, 2 copies
                TEXTRACT(w_gate_tile_l0b, w_gate_tile, k1, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                wait_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                if (h0 + k1 == 0) {
                    TMATMUL<AccPhase::Partial>(gate_i_acc, x_q_tile_l0a, w_gate_tile_l0b);
                } else if (h0 + k1 + 128 < 5120) {
                    TMATMUL_ACC<AccPhase::Partial>(gate_i_acc, gate_i_acc, x_q_tile_l0a, w_gate_tile_l0b);
                } else {
                    TMATMUL_ACC<AccPhase::Final>(gate_i_acc, gate_i_acc, x_q_tile_l0a, w_gate_tile_l0b);
                }
                set_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));
            }
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(h0_buffer));
            for (int32_t k1 = 0; k1 < 512; k1 += 128, k1_buffer_2 ^= 1) {
                // up_i:   matmul(x_q, w_up, dtype=int32)
                LeftI8_128x128 x_q_tile_l0a_2(t0_valid); TASSIGN(x_q_tile_l0a_2, 0x08000 + k1_buffer_2 * 0x04000);  // L0A 0x08000..0x10000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(2 + k1_buffer_2));  // free again
                TEXTRACT(x_q_tile_l0a_2, x_q_tile, 0, k1);
                RightI8_128x128 w_up_tile_l0b; TASSIGN(w_up_tile_l0b, 0x08000 + k1_buffer_2 * 0x04000);  // L0B 0x08000..0x10000, 2 copies
                TEXTRACT(w_up_tile_l0b, w_up_tile, k1, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(2 + k1_buffer_2));
                wait_flag(PIPE_MTE1, PIPE_M, event_t(2 + k1_buffer_2));
                if (h0 + k1 == 0) {
                    TMATMUL<AccPhase::Partial>(up_i_acc, x_q_tile_l0a_2, w_up_tile_l0b);
                } else if (h0 + k1 + 128 < 5120) {
                    TMATMUL_ACC<AccPhase::Partial>(up_i_acc, up_i_acc, x_q_tile_l0a_2, w_up_tile_l0b);
                } else {
                    TMATMUL_ACC<AccPhase::Final>(up_i_acc, up_i_acc, x_q_tile_l0a_2, w_up_tile_l0b);
                }
                set_flag(PIPE_M, PIPE_MTE1, event_t(2 + k1_buffer_2));
            }
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(h0_buffer));
        }
        // gate_i: matmul(x_q, w_gate, dtype=int32)
        GateIGm gate_i_out(gate_i + int64_t(t0) * 1536 + int64_t(f0), {t0_valid});
        TSTORE<STPhase::Final>(gate_i_out, gate_i_acc);
        // up_i:   matmul(x_q, w_up, dtype=int32)
        GateIGm up_i_out(up_i + int64_t(t0) * 1536 + int64_t(f0), {t0_valid});
        TSTORE<STPhase::Final>(up_i_out, up_i_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID2); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void gate_up(
    __gm__ int32_t *gate_i, __gm__ int32_t *up_i, __gm__ int8_t *x_q, __gm__ int8_t *w_gate, __gm__ int8_t *w_up,
    int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(gate_i, up_i, x_q, w_gate, w_up, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
