// query_linear: cube kernel of `glm_attention_pre` for a2a3. Made by pyptogen; change the spec, not this file.
// stages query_linear; tiles h 512, h.l0 64, heads 1, t 256; memory L0A 32768 B, L0B 16384 B, L0C 131072 B, L1 393216 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccI32_256x128 = TileAccCompact<int32_t, 256, 128, DYNAMIC, 128>;
using MatI8_256x512 = Tile<TileType::Mat, int8_t, 256, 512, BLayout::ColMajor, DYNAMIC, 512, SLayout::RowMajor, 512>;
using MatI8_512x128 = Tile<TileType::Mat, int8_t, 512, 128, BLayout::ColMajor, 512, 128, SLayout::RowMajor, 512>;
using LeftI8_256x64 = TileLeft<int8_t, 256, 64, DYNAMIC, 64>;
using RightI8_64x128 = TileRight<int8_t, 64, 128, 64, 128>;
using NQGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 5120, 1>>;
using WQGm = GlobalTensor<int8_t, Shape<1, 4, 32, 16, 32>, Stride<1, 163840, 512, 32, 1>, Layout::NZ>;
using QIGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 1536, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *q_i,
    __gm__ int8_t *n_q,
    __gm__ int8_t *w_q,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t h0_buffer = 0;  // which of 2 buffers this iteration of h0 uses
    int32_t k1_buffer = 0;  // which of 2 buffers this iteration of k1 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 255) / 256 * 12;  // of t0 and heads0
    for (int32_t tile = block; tile < tiles; tile += nblk) {
        const int32_t t0 = t_begin + tile / 12 * 256;
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        const int32_t heads0 = tile % 12;
        AccI32_256x128 q_i_acc(t0_valid); TASSIGN<0x00000>(q_i_acc);  // L0C 0x00000..0x20000
        for (int32_t h0 = 0; h0 < 5120; h0 += 512, h0_buffer ^= 1) {
            // q_i: matmul(n_q, w_q, dtype=int32)
            MatI8_256x512 n_q_tile(t0_valid); TASSIGN(n_q_tile, 0x00000 + h0_buffer * 0x20000);  // L1 0x00000..0x40000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(h0_buffer));  // free again
            NQGm n_q_in(n_q + int64_t(t0) * 5120 + int64_t(h0), {t0_valid});
            TLOAD(n_q_tile, n_q_in);
            MatI8_512x128 w_q_tile; TASSIGN(w_q_tile, 0x40000 + h0_buffer * 0x10000);  // L1 0x40000..0x60000, 2 copies
            WQGm w_q_in(w_q + int64_t(heads0) * 655360 + int64_t(h0) * 32);
            TLOAD(w_q_tile, w_q_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(h0_buffer));
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(h0_buffer));
            for (int32_t k1 = 0; k1 < 512; k1 += 64, k1_buffer ^= 1) {
                LeftI8_256x64 n_q_tile_l0a(t0_valid); TASSIGN(n_q_tile_l0a, 0x00000 + k1_buffer * 0x04000);  // L0A 0x00000..0x08000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));  // free again
                TEXTRACT(n_q_tile_l0a, n_q_tile, 0, k1);
                RightI8_64x128 w_q_tile_l0b; TASSIGN(w_q_tile_l0b, 0x00000 + k1_buffer * 0x02000);  // L0B 0x00000..0x04000, 2 copies
                TEXTRACT(w_q_tile_l0b, w_q_tile, k1, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                wait_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                if (h0 + k1 == 0) {
                    TMATMUL<AccPhase::Partial>(q_i_acc, n_q_tile_l0a, w_q_tile_l0b);
                } else if (h0 + k1 + 64 < 5120) {
                    TMATMUL_ACC<AccPhase::Partial>(q_i_acc, q_i_acc, n_q_tile_l0a, w_q_tile_l0b);
                } else {
                    TMATMUL_ACC<AccPhase::Final>(q_i_acc, q_i_acc, n_q_tile_l0a, w_q_tile_l0b);
                }
                set_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));
            }
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(h0_buffer));
        }
        QIGm q_i_out(q_i + int64_t(t0) * 1536 + int64_t(heads0) * 128, {t0_valid});
        TSTORE<STPhase::Final>(q_i_out, q_i_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void query_linear(
    __gm__ int32_t *q_i, __gm__ int8_t *n_q, __gm__ int8_t *w_q, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(q_i, n_q, w_q, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
