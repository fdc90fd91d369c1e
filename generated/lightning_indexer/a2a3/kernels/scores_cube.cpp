// scores_cube: cube kernel of `lightning_indexer` for a2a3. Made by pyptogen; change the spec, not this file.
// stages scores; tiles kv 128, t 1; memory L0A 32768 B, L0B 65536 B, L0C 65536 B, L1 98304 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatB16_64x128 = Tile<TileType::Mat, bfloat16_t, 64, 128, BLayout::ColMajor, 64, 128, SLayout::RowMajor, 512>;
using MatZnB16_128x128 = Tile<TileType::Mat, bfloat16_t, 128, 128, BLayout::RowMajor, 128, DYNAMIC, SLayout::ColMajor, 512>;
using LeftB16_64x128 = TileLeft<bfloat16_t, 64, 128, 64, 128>;
using RightB16_128x128 = TileRightCompact<bfloat16_t, 128, 128, 128, DYNAMIC>;
using AccF32_64x128 = TileAcc<float, 64, 128, 64, DYNAMIC>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
using KGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, 1, 128>, Layout::DN>;
using S2Gm = GlobalTensor<float, Shape<1, 1, 1, 64, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;

AICORE inline void run_block(
    __gm__ float *s_2,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k,
    int64_t t_begin,
    int64_t t_end,
    int64_t kv,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    int32_t kv0_buffer = 0;  // which of 2 buffers this iteration of kv0 uses
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0); set_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    for (int64_t t0 = t_begin + block; t0 < t_end; t0 += nblk, t0_buffer ^= 1) {
        // s: relu(matmul(q, k[kv].T, dtype=fp32)) * weights[:, :, None]
        MatB16_64x128 q_tile; TASSIGN(q_tile, 0x00000 + t0_buffer * 0x04000);  // L1 0x00000..0x08000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + t0_buffer));  // free again
        QGm q_in(q + int64_t(t0) * 8192);
        TLOAD(q_tile, q_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + t0_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + t0_buffer));
        for (int64_t kv0 = 0; kv0 < kv; kv0 += 128, kv0_buffer ^= 1) {
            const int32_t kv0_valid = static_cast<int32_t>(kv - kv0 < 128 ? kv - kv0 : 128);
            MatZnB16_128x128 k_tile(kv0_valid); TASSIGN(k_tile, 0x08000 + kv0_buffer * 0x08000);  // L1 0x08000..0x18000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(kv0_buffer));  // free again
            KGm k_in(k + int64_t(kv0) * 128, {kv0_valid});
            TLOAD(k_tile, k_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(kv0_buffer));
            LeftB16_64x128 q_tile_l0a; TASSIGN(q_tile_l0a, 0x00000 + kv0_buffer * 0x04000);  // L0A 0x00000..0x08000, 2 copies
            wait_flag(PIPE_M, PIPE_MTE1, event_t(kv0_buffer));  // free again
            TEXTRACT(q_tile_l0a, q_tile, 0, 0);
            RightB16_128x128 k_tile_l0b(kv0_valid); TASSIGN(k_tile_l0b, 0x00000 + kv0_buffer * 0x08000);  // L0B 0x00000..0x10000, 2 copies
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(kv0_buffer));
            TEXTRACT(k_tile_l0b, k_tile, 0, 0);
            set_flag(PIPE_MTE1, PIPE_M, event_t(kv0_buffer));
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(kv0_buffer));
            AccF32_64x128 s_2_acc(kv0_valid); TASSIGN(s_2_acc, 0x00000 + kv0_buffer * 0x08000);  // L0C 0x00000..0x10000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_M, event_t(kv0_buffer));
            wait_flag(PIPE_FIX, PIPE_M, event_t(kv0_buffer));  // free again
            TMATMUL(s_2_acc, q_tile_l0a, k_tile_l0b);
            set_flag(PIPE_M, PIPE_FIX, event_t(kv0_buffer));
            set_flag(PIPE_M, PIPE_MTE1, event_t(kv0_buffer));
            wait_flag(PIPE_M, PIPE_FIX, event_t(kv0_buffer));
            S2Gm s_2_out(s_2 + int64_t(kv) * t0 * 64 + int64_t(kv0), {kv0_valid}, {int64_t(kv)});
            TSTORE(s_2_out, s_2_acc);
            set_flag(PIPE_FIX, PIPE_M, event_t(kv0_buffer));
        }
        set_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + t0_buffer));
    }
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0); wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void scores_cube(
    __gm__ float *s_2, __gm__ bfloat16_t *q, __gm__ bfloat16_t *k, int64_t t_begin, int64_t t_end, int64_t kv,
    int32_t nblk)
{
    run_block(s_2, q, k, t_begin, t_end, kv, nblk, static_cast<int32_t>(get_block_idx()));
}
