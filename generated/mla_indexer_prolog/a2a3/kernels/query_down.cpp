// query_down: cube kernel of `mla_indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages query_down; tiles h 512, h.l0 128, q_rank 128, t 128; memory L0A 65536 B, L0B 65536 B, L0C 131072 B, L1 524288 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_128x128 = TileAccCompact<float, 128, 128, DYNAMIC, 128>;
using MatB16_128x512 = Tile<TileType::Mat, bfloat16_t, 128, 512, BLayout::ColMajor, DYNAMIC, 512, SLayout::RowMajor, 512>;
using MatB16_512x128 = Tile<TileType::Mat, bfloat16_t, 512, 128, BLayout::ColMajor, 512, 128, SLayout::RowMajor, 512>;
using LeftB16_128x128 = TileLeft<bfloat16_t, 128, 128, DYNAMIC, 128>;
using RightB16_128x128 = TileRight<bfloat16_t, 128, 128, 128, 128>;
using XNGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 7168, 1>>;
using WDqGm = GlobalTensor<bfloat16_t, Shape<1, 8, 32, 16, 16>, Stride<1, 114688, 256, 16, 1>, Layout::NZ>;
using QCGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 1536, 1>>;

AICORE inline void run_block(
    __gm__ float *q_c,
    __gm__ bfloat16_t *x_n,
    __gm__ bfloat16_t *w_dq,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t q_rank0_buffer = 0;  // which of 2 buffers this iteration of q_rank0 uses
    int32_t h0_buffer = 0;  // which of 2 buffers this iteration of h0 uses
    int32_t k1_buffer = 0;  // which of 2 buffers this iteration of k1 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 127) / 128 * 12;  // of t0 and q_rank0
    for (int32_t tile = block; tile < tiles; tile += nblk, q_rank0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 12 * 128;
        const int32_t t0_valid = t_end - t0 < 128 ? t_end - t0 : 128;
        const int32_t q_rank0 = tile % 12 * 128;
        AccF32_128x128 q_c_acc(t0_valid); TASSIGN(q_c_acc, 0x00000 + q_rank0_buffer * 0x10000);  // L0C 0x00000..0x20000, 2 copies
        for (int32_t h0 = 0; h0 < 7168; h0 += 512, h0_buffer ^= 1) {
            // q_c: matmul(x_n, w_dq, dtype=fp32)
            MatB16_128x512 x_n_tile(t0_valid); TASSIGN(x_n_tile, 0x00000 + h0_buffer * 0x20000);  // L1 0x00000..0x40000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(h0_buffer));  // free again
            XNGm x_n_in(x_n + int64_t(t0) * 7168 + int64_t(h0), {t0_valid});
            TLOAD(x_n_tile, x_n_in);
            MatB16_512x128 w_dq_tile; TASSIGN(w_dq_tile, 0x40000 + h0_buffer * 0x20000);  // L1 0x40000..0x80000, 2 copies
            WDqGm w_dq_in(w_dq + int64_t(q_rank0) * 7168 + int64_t(h0) * 16);
            TLOAD(w_dq_tile, w_dq_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(h0_buffer));
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(h0_buffer));
            for (int32_t k1 = 0; k1 < 512; k1 += 128, k1_buffer ^= 1) {
                LeftB16_128x128 x_n_tile_l0a(t0_valid); TASSIGN(x_n_tile_l0a, 0x00000 + k1_buffer * 0x08000);  // L0A 0x00000..0x10000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));  // free again
                TEXTRACT(x_n_tile_l0a, x_n_tile, 0, k1);
                RightB16_128x128 w_dq_tile_l0b; TASSIGN(w_dq_tile_l0b, 0x00000 + k1_buffer * 0x08000);  // L0B 0x00000..0x10000, 2 copies
                TEXTRACT(w_dq_tile_l0b, w_dq_tile, k1, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                wait_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                if (h0 + k1 == 0) {
                    TMATMUL<AccPhase::Partial>(q_c_acc, x_n_tile_l0a, w_dq_tile_l0b);
                } else if (h0 + k1 + 128 < 7168) {
                    TMATMUL_ACC<AccPhase::Partial>(q_c_acc, q_c_acc, x_n_tile_l0a, w_dq_tile_l0b);
                } else {
                    TMATMUL_ACC<AccPhase::Final>(q_c_acc, q_c_acc, x_n_tile_l0a, w_dq_tile_l0b);
                }
                set_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));
            }
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(h0_buffer));
        }
        QCGm q_c_out(q_c + int64_t(t0) * 1536 + int64_t(q_rank0), {t0_valid});
        TSTORE<STPhase::Final>(q_c_out, q_c_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void query_down(
    __gm__ float *q_c, __gm__ bfloat16_t *x_n, __gm__ bfloat16_t *w_dq, int32_t t_begin, int32_t t_end,
    int32_t nblk)
{
    run_block(q_c, x_n, w_dq, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
