// scores_cube: cube kernel of `lightning_indexer` for a2a3. Made by pyptogen; change the spec, not this file.
// stages scores; tiles kv 256, t 1; memory L0A 16384 B, L0B 65536 B, L0C 131072 B, L1 163840 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatB16_64x128 = Tile<TileType::Mat, bfloat16_t, 64, 128, BLayout::ColMajor, 64, 128, SLayout::RowMajor, 512>;
using MatZnB16_128x256 = Tile<TileType::Mat, bfloat16_t, 128, 256, BLayout::RowMajor, 128, DYNAMIC, SLayout::ColMajor, 512>;
using LeftB16_64x128 = TileLeft<bfloat16_t, 64, 128, 64, 128>;
using RightB16_128x256 = TileRightCompact<bfloat16_t, 128, 256, 128, DYNAMIC>;
using AccF32_64x256 = TileAccCompact<float, 64, 256, 64, DYNAMIC>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
using KGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, 1, 128>, Layout::DN>;
using S2Pipe = TPipe<0, Direction::DIR_C2V, 65536, 4, 2, true, true>;  // 4 tiles of up to 64 x 256, to both vector cores
using S2Slot = GlobalTensor<float, Shape<1, 1, 1, 64, 256>, Stride<1, 1, 1, 256, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k,
    __gm__ float *s_2_fifo,
    int64_t t_begin,
    int64_t t_end,
    int64_t kv,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    S2Pipe s_2_pipe(s_2_fifo + int64_t(block) * 65536, 0x0, 0x0);
    int32_t kv0_buffer = 0;  // which of 2 buffers this iteration of kv0 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int64_t kv0_tiles = (kv + 255) / 256;
    const int64_t tiles = (t_end - t_begin) * kv0_tiles;  // of t0 and kv0
    for (int64_t tile = block; tile < tiles; tile += nblk, kv0_buffer ^= 1) {
        const int64_t t0 = t_begin + tile / kv0_tiles;
        const int64_t kv0 = tile % kv0_tiles * 256;
        const int32_t kv0_valid = static_cast<int32_t>(kv - kv0 < 256 ? kv - kv0 : 256);
        // s: relu(matmul(q, k[kv].T, dtype=fp32)) * weights[:, :, None]
        MatB16_64x128 q_tile; TASSIGN(q_tile, 0x00000 + kv0_buffer * 0x04000);  // L1 0x00000..0x08000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(kv0_buffer));  // free again
        QGm q_in(q + int64_t(t0) * 8192);
        TLOAD(q_tile, q_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + kv0_buffer));
        MatZnB16_128x256 k_tile(kv0_valid); TASSIGN(k_tile, 0x08000 + kv0_buffer * 0x10000);  // L1 0x08000..0x28000, 2 copies
        KGm k_in(k + int64_t(kv0) * 128, {kv0_valid});
        TLOAD(k_tile, k_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, event_t(kv0_buffer));
        LeftB16_64x128 q_tile_l0a; TASSIGN<0x00000>(q_tile_l0a);  // L0A 0x00000..0x04000
        wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // free again
        wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + kv0_buffer));
        TEXTRACT(q_tile_l0a, q_tile, 0, 0);
        RightB16_128x256 k_tile_l0b(kv0_valid); TASSIGN<0x00000>(k_tile_l0b);  // L0B 0x00000..0x10000
        wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(kv0_buffer));
        TEXTRACT(k_tile_l0b, k_tile, 0, 0);
        set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
        set_flag(PIPE_MTE1, PIPE_MTE2, event_t(kv0_buffer));
        AccF32_64x256 s_2_acc(kv0_valid); TASSIGN(s_2_acc, 0x00000 + kv0_buffer * 0x10000);  // L0C 0x00000..0x20000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
        TMATMUL<AccPhase::Final>(s_2_acc, q_tile_l0a, k_tile_l0b);
        set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
        TPUSH<S2Pipe, AccF32_64x256, TileSplitAxis::TILE_NO_SPLIT>(s_2_pipe, s_2_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void scores_cube(
    __gm__ uint64_t *ffts, __gm__ bfloat16_t *q, __gm__ bfloat16_t *k, __gm__ float *s_2_fifo, int64_t t_begin,
    int64_t t_end, int64_t kv, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(q, k, s_2_fifo, t_begin, t_end, kv, nblk, static_cast<int32_t>(get_block_idx()));
}
