// query_linear: cube kernel of `indexer_prolog_v4` for a2a3. Made by pyptogen; change the spec, not this file.
// stages query_linear; tiles heads 1, q_rank 512, q_rank.l0 64, t 128; memory L0A 16384 B, L0B 16384 B, L0C 131072 B, L1 262144 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccI32_128x128 = TileAccCompact<int32_t, 128, 128, DYNAMIC, 128>;
using MatI8_128x512 = Tile<TileType::Mat, int8_t, 128, 512, BLayout::ColMajor, DYNAMIC, 512, SLayout::RowMajor, 512>;
using MatI8_512x128 = Tile<TileType::Mat, int8_t, 512, 128, BLayout::ColMajor, 512, 128, SLayout::RowMajor, 512>;
using LeftI8_128x64 = TileLeft<int8_t, 128, 64, DYNAMIC, 64>;
using RightI8_64x128 = TileRight<int8_t, 64, 128, 64, 128>;
using QNormGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 1024, 1>>;
using WQbGm = GlobalTensor<int8_t, Shape<1, 4, 32, 16, 32>, Stride<1, 32768, 512, 32, 1>, Layout::NZ>;
using QIGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 8192, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *q_i,
    __gm__ int8_t *q_norm,
    __gm__ int8_t *w_qb,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t heads0_buffer = 0;  // which of 2 buffers this iteration of heads0 uses
    int32_t q_rank0_buffer = 0;  // which of 2 buffers this iteration of q_rank0 uses
    int32_t k1_buffer = 0;  // which of 2 buffers this iteration of k1 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 127) / 128 * 64;  // of t0 and heads0
    for (int32_t tile = block; tile < tiles; tile += nblk, heads0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 64 * 128;
        const int32_t t0_valid = t_end - t0 < 128 ? t_end - t0 : 128;
        const int32_t heads0 = tile % 64;
        AccI32_128x128 q_i_acc(t0_valid); TASSIGN(q_i_acc, 0x00000 + heads0_buffer * 0x10000);  // L0C 0x00000..0x20000, 2 copies
        for (int32_t q_rank0 = 0; q_rank0 < 1024; q_rank0 += 512, q_rank0_buffer ^= 1) {
            // q_i: matmul(q_norm, w_qb, dtype=int32)
            MatI8_128x512 q_norm_tile(t0_valid); TASSIGN(q_norm_tile, 0x00000 + q_rank0_buffer * 0x10000);  // L1 0x00000..0x20000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(q_rank0_buffer));  // free again
            QNormGm q_norm_in(q_norm + int64_t(t0) * 1024 + int64_t(q_rank0), {t0_valid});
            TLOAD(q_norm_tile, q_norm_in);
            MatI8_512x128 w_qb_tile; TASSIGN(w_qb_tile, 0x20000 + q_rank0_buffer * 0x10000);  // L1 0x20000..0x40000, 2 copies
            WQbGm w_qb_in(w_qb + int64_t(heads0) * 131072 + int64_t(q_rank0) * 32);
            TLOAD(w_qb_tile, w_qb_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(q_rank0_buffer));
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(q_rank0_buffer));
            for (int32_t k1 = 0; k1 < 512; k1 += 64, k1_buffer ^= 1) {
                LeftI8_128x64 q_norm_tile_l0a(t0_valid); TASSIGN(q_norm_tile_l0a, 0x00000 + k1_buffer * 0x02000);  // L0A 0x00000..0x04000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));  // free again
                TEXTRACT(q_norm_tile_l0a, q_norm_tile, 0, k1);
                RightI8_64x128 w_qb_tile_l0b; TASSIGN(w_qb_tile_l0b, 0x00000 + k1_buffer * 0x02000);  // L0B 0x00000..0x04000, 2 copies
                TEXTRACT(w_qb_tile_l0b, w_qb_tile, k1, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                wait_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                if (q_rank0 + k1 == 0) {
                    TMATMUL<AccPhase::Partial>(q_i_acc, q_norm_tile_l0a, w_qb_tile_l0b);
                } else if (k1 + q_rank0 + 64 < 1024) {
                    TMATMUL_ACC<AccPhase::Partial>(q_i_acc, q_i_acc, q_norm_tile_l0a, w_qb_tile_l0b);
                } else {
                    TMATMUL_ACC<AccPhase::Final>(q_i_acc, q_i_acc, q_norm_tile_l0a, w_qb_tile_l0b);
                }
                set_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));
            }
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(q_rank0_buffer));
        }
        QIGm q_i_out(q_i + int64_t(t0) * 8192 + int64_t(heads0) * 128, {t0_valid});
        TSTORE<STPhase::Final>(q_i_out, q_i_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void query_linear(
    __gm__ int32_t *q_i, __gm__ int8_t *q_norm, __gm__ int8_t *w_qb, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(q_i, q_norm, w_qb, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
