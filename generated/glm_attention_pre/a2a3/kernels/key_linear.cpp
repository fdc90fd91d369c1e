// key_linear: cube kernel of `glm_attention_pre` for a2a3. Made by pyptogen; change the spec, not this file.
// stages key_linear; tiles d 64, h 512, h.l0 128, t 32; memory L0A 16384 B, L0B 32768 B, L0C 32768 B, L1 163840 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccI32_32x64 = TileAccCompact<int32_t, 32, 64, DYNAMIC, 64>;
using MatI8_32x512 = Tile<TileType::Mat, int8_t, 32, 512, BLayout::ColMajor, DYNAMIC, 512, SLayout::RowMajor, 512>;
using MatI8_512x64 = Tile<TileType::Mat, int8_t, 512, 64, BLayout::ColMajor, 512, 64, SLayout::RowMajor, 512>;
using LeftI8_32x128 = TileLeft<int8_t, 32, 128, DYNAMIC, 128>;
using RightI8_128x64 = TileRight<int8_t, 128, 64, 128, 64>;
using NQGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 5120, 1>>;
using WKGm = GlobalTensor<int8_t, Shape<1, 2, 32, 16, 32>, Stride<1, 163840, 512, 32, 1>, Layout::NZ>;
using KIGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *k_i,
    __gm__ int32_t *v_i,
    __gm__ int8_t *n_q,
    __gm__ int8_t *w_k,
    __gm__ int8_t *w_v,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t d0_buffer = 0;  // which of 2 buffers this iteration of d0 uses
    int32_t h0_buffer = 0;  // which of 2 buffers this iteration of h0 uses
    int32_t k1_buffer = 0;  // which of 2 buffers this iteration of k1 uses
    int32_t k1_buffer_2 = 0;  // which of 2 buffers this iteration of k1 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID2); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID3);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 31) / 32 * 2;  // of t0 and d0
    for (int32_t tile = block; tile < tiles; tile += nblk, d0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 2 * 32;
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        const int32_t d0 = tile % 2 * 64;
        AccI32_32x64 k_i_acc(t0_valid); TASSIGN(k_i_acc, 0x00000 + d0_buffer * 0x02000);  // L0C 0x00000..0x04000, 2 copies
        AccI32_32x64 v_i_acc(t0_valid); TASSIGN(v_i_acc, 0x04000 + d0_buffer * 0x02000);  // L0C 0x04000..0x08000, 2 copies
        for (int32_t h0 = 0; h0 < 5120; h0 += 512, h0_buffer ^= 1) {
            // k_i: matmul(n_q, w_k, dtype=int32)
            MatI8_32x512 n_q_tile(t0_valid); TASSIGN(n_q_tile, 0x00000 + h0_buffer * 0x04000);  // L1 0x00000..0x08000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(h0_buffer));  // free again
            NQGm n_q_in(n_q + int64_t(t0) * 5120 + int64_t(h0), {t0_valid});
            TLOAD(n_q_tile, n_q_in);
            MatI8_512x64 w_k_tile; TASSIGN(w_k_tile, 0x08000 + h0_buffer * 0x08000);  // L1 0x08000..0x18000, 2 copies
            WKGm w_k_in(w_k + int64_t(d0) * 5120 + int64_t(h0) * 32);
            TLOAD(w_k_tile, w_k_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + h0_buffer));
            // v_i: matmul(n_q, w_v, dtype=int32)
            MatI8_512x64 w_v_tile; TASSIGN(w_v_tile, 0x18000 + h0_buffer * 0x08000);  // L1 0x18000..0x28000, 2 copies
            WKGm w_v_in(w_v + int64_t(d0) * 5120 + int64_t(h0) * 32);
            TLOAD(w_v_tile, w_v_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(h0_buffer));
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + h0_buffer));
            for (int32_t k1 = 0; k1 < 512; k1 += 128, k1_buffer ^= 1) {
                // k_i: matmul(n_q, w_k, dtype=int32)
                LeftI8_32x128 n_q_tile_l0a(t0_valid); TASSIGN(n_q_tile_l0a, 0x00000 + k1_buffer * 0x01000);  // L0A 0x00000..0x02000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));  // free again
                TEXTRACT(n_q_tile_l0a, n_q_tile, 0, k1);
                RightI8_128x64 w_k_tile_l0b; TASSIGN(w_k_tile_l0b, 0x00000 + k1_buffer * 0x02000);  // L0B 0x00000..0x04000, 2 copies
                TEXTRACT(w_k_tile_l0b, w_k_tile, k1, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                wait_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                if (h0 + k1 == 0) {
                    TMATMUL<AccPhase::Partial>(k_i_acc, n_q_tile_l0a, w_k_tile_l0b);
                } else if (h0 + k1 + 128 < 5120) {
                    TMATMUL_ACC<AccPhase::Partial>(k_i_acc, k_i_acc, n_q_tile_l0a, w_k_tile_l0b);
                } else {
                    TMATMUL_ACC<AccPhase::Final>(k_i_acc, k_i_acc, n_q_tile_l0a, w_k_tile_l0b);
                }
                set_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));
            }
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(h0_buffer));
            for (int32_t k1 = 0; k1 < 512; k1 += 128, k1_buffer_2 ^= 1) {
                // v_i: matmul(n_q, w_v, dtype=int32)
                LeftI8_32x128 n_q_tile_l0a_2(t0_valid); TASSIGN(n_q_tile_l0a_2, 0x02000 + k1_buffer_2 * 0x01000);  // L0A 0x02000..0x04000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(2 + k1_buffer_2));  // free again
                TEXTRACT(n_q_tile_l0a_2, n_q_tile, 0, k1);
                RightI8_128x64 w_v_tile_l0b; TASSIGN(w_v_tile_l0b, 0x04000 + k1_buffer_2 * 0x02000);  // L0B 0x04000..0x08000, 2 copies
                TEXTRACT(w_v_tile_l0b, w_v_tile, k1, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(2 + k1_buffer_2));
                wait_flag(PIPE_MTE1, PIPE_M, event_t(2 + k1_buffer_2));
                if (h0 + k1 == 0) {
                    TMATMUL<AccPhase::Partial>(v_i_acc, n_q_tile_l0a_2, w_v_tile_l0b);
                } else if (h0 + k1 + 128 < 5120) {
                    TMATMUL_ACC<AccPhase::Partial>(v_i_acc, v_i_acc, n_q_tile_l0a_2, w_v_tile_l0b);
                } else {
                    TMATMUL_ACC<AccPhase::Final>(v_i_acc, v_i_acc, n_q_tile_l0a_2, w_v_tile_l0b);
                }
                set_flag(PIPE_M, PIPE_MTE1, event_t(2 + k1_buffer_2));
            }
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(h0_buffer));
        }
        // k_i: matmul(n_q, w_k, dtype=int32)
        KIGm k_i_out(k_i + int64_t(t0) * 128 + int64_t(d0), {t0_valid});
        TSTORE<STPhase::Final>(k_i_out, k_i_acc);
        // v_i: matmul(n_q, w_v, dtype=int32)
        KIGm v_i_out(v_i + int64_t(t0) * 128 + int64_t(d0), {t0_valid});
        TSTORE<STPhase::Final>(v_i_out, v_i_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID2); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void key_linear(
    __gm__ int32_t *k_i, __gm__ int32_t *v_i, __gm__ int8_t *n_q, __gm__ int8_t *w_k, __gm__ int8_t *w_v,
    int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(k_i, v_i, n_q, w_k, w_v, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
