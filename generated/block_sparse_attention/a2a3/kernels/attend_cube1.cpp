// attend_cube1: cube kernel of `block_sparse_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages attend; tiles heads 1, kv_blocks 1, q_blocks 1; memory L0A 65536 B, L0B 65536 B, L0C 65536 B, L1 131072 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatB16_64x128 = Tile<TileType::Mat, bfloat16_t, 64, 128, BLayout::ColMajor, 64, 128, SLayout::RowMajor, 512>;
using MatZnB16_128x64 = Tile<TileType::Mat, bfloat16_t, 128, 64, BLayout::RowMajor, 128, 64, SLayout::ColMajor, 512>;
using LeftB16_64x128 = TileLeft<bfloat16_t, 64, 128, 64, 128>;
using RightB16_128x64 = TileRight<bfloat16_t, 128, 64, 128, 64>;
using AccF32_64x64 = TileAcc<float, 64, 64, 64, 64>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
using KGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 64>, Stride<1, 1, 1, 1, 128>, Layout::DN>;
using S2Gm = GlobalTensor<float, Shape<1, 1, 1, 64, 64>, Stride<1, 1, 1, 64, 1>>;

AICORE inline void run_block(
    __gm__ float *s_2,
    __gm__ int32_t *seen,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k,
    int32_t q_blocks_begin,
    int32_t q_blocks_end,
    int32_t q_blocks,
    int32_t kv_blocks,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);  // indices in GM may have changed
    int32_t heads0_buffer = 0;  // which of 4 buffers this iteration of heads0 uses
    int32_t kv_blocks0_buffer = 0;  // which of 4 buffers this iteration of kv_blocks0 uses
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID2); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID4); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID5);  // 4 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID6); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID7);  // 4 buffers are free at first
    const int32_t tiles = (q_blocks_end - q_blocks_begin) * 8;  // of q_blocks0 and heads0
    for (int32_t tile = block; tile < tiles; tile += nblk, heads0_buffer = (heads0_buffer + 1) % 4) {
        const int32_t q_blocks0 = q_blocks_begin + tile / 8;
        const int32_t heads0 = tile % 8;
        // s: matmul(q, transpose(block_of(k[:, kv_blocks]), -2, -1), dtype=fp32) * scale
        MatB16_64x128 q_tile; TASSIGN(q_tile, 0x00000 + heads0_buffer * 0x04000);  // L1 0x00000..0x10000, 4 copies
        wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(4 + heads0_buffer));  // free again
        QGm q_in(q + int64_t(heads0) * q_blocks * 8192 + int64_t(q_blocks0) * 8192);
        TLOAD(q_tile, q_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, event_t(4 + heads0_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(4 + heads0_buffer));
        for (int32_t kv_blocks0 = 0; kv_blocks0 < kv_blocks; ++kv_blocks0) {
            // if: reshape(seen[:, :, kv_blocks], [heads, q_blocks, 1, 1]) != 0
            const int64_t seen_here = seen[int64_t(heads0) * kv_blocks * q_blocks + int64_t(kv_blocks) * q_blocks0 + int64_t(kv_blocks0)];
            if (seen_here == 0) {  // this iteration is skipped
                continue;
            }
            // s: matmul(q, transpose(block_of(k[:, kv_blocks]), -2, -1), dtype=fp32) * scale
            MatZnB16_128x64 k_tile; TASSIGN(k_tile, 0x10000 + kv_blocks0_buffer * 0x04000);  // L1 0x10000..0x20000, 4 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(kv_blocks0_buffer));  // free again
            KGm k_in(k + int64_t(heads0) * kv_blocks * 8192 + int64_t(kv_blocks0) * 8192);
            TLOAD(k_tile, k_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(kv_blocks0_buffer));
            LeftB16_64x128 q_tile_l0a; TASSIGN(q_tile_l0a, 0x00000 + kv_blocks0_buffer * 0x04000);  // L0A 0x00000..0x10000, 4 copies
            wait_flag(PIPE_M, PIPE_MTE1, event_t(kv_blocks0_buffer));  // free again
            TEXTRACT(q_tile_l0a, q_tile, 0, 0);
            RightB16_128x64 k_tile_l0b; TASSIGN(k_tile_l0b, 0x00000 + kv_blocks0_buffer * 0x04000);  // L0B 0x00000..0x10000, 4 copies
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(kv_blocks0_buffer));
            TEXTRACT(k_tile_l0b, k_tile, 0, 0);
            set_flag(PIPE_MTE1, PIPE_M, event_t(kv_blocks0_buffer));
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(kv_blocks0_buffer));
            AccF32_64x64 s_2_acc; TASSIGN(s_2_acc, 0x00000 + kv_blocks0_buffer * 0x04000);  // L0C 0x00000..0x10000, 4 copies
            wait_flag(PIPE_MTE1, PIPE_M, event_t(kv_blocks0_buffer));
            TMATMUL<AccPhase::Final>(s_2_acc, q_tile_l0a, k_tile_l0b);
            set_flag(PIPE_M, PIPE_MTE1, event_t(kv_blocks0_buffer));
            S2Gm s_2_out(s_2 + int64_t(kv_blocks0) * q_blocks * 32768 + int64_t(heads0) * q_blocks * 4096 + int64_t(q_blocks0) * 4096);
            TSTORE<STPhase::Final>(s_2_out, s_2_acc);
            kv_blocks0_buffer = (kv_blocks0_buffer + 1) % 4;
        }
        set_flag(PIPE_MTE1, PIPE_MTE2, event_t(4 + heads0_buffer));
    }
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID2); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID4); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID5);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID6); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID7);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void attend_cube1(
    __gm__ float *s_2, __gm__ int32_t *seen, __gm__ bfloat16_t *q, __gm__ bfloat16_t *k, int32_t q_blocks_begin,
    int32_t q_blocks_end, int32_t q_blocks, int32_t kv_blocks, int32_t nblk)
{
    run_block(
        s_2, seen, q, k, q_blocks_begin, q_blocks_end, q_blocks, kv_blocks, nblk,
        static_cast<int32_t>(get_block_idx()));
}
