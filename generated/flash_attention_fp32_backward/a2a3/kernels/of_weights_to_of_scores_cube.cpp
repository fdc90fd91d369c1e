// of_weights_to_of_scores_cube: cube kernel of `flash_attention_fp32_backward` for a2a3. Made by pyptogen; change the spec, not this file.
// stages of_weights; tiles heads 1, kv 128, sq 128; memory L0A 65536 B, L0B 65536 B, L0C 131072 B, L1 262144 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatF32_128x128 = Tile<TileType::Mat, float, 128, 128, BLayout::ColMajor, DYNAMIC, 128, SLayout::RowMajor, 512>;
using MatZnF32_128x128 = Tile<TileType::Mat, float, 128, 128, BLayout::RowMajor, 128, DYNAMIC, SLayout::ColMajor, 512>;
using LeftF32_128x128 = TileLeft<float, 128, 128, DYNAMIC, 128>;
using RightF32_128x128 = TileRightCompact<float, 128, 128, 128, DYNAMIC>;
using AccF32_128x128 = TileAccCompact<float, 128, 128, DYNAMIC, DYNAMIC>;
using DOGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using VGm = GlobalTensor<float, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, 1, 128>, Layout::DN>;
using DPPipe = TPipe<0, Direction::DIR_C2V, 65536, 4, 2, true, true>;  // 4 tiles of up to 128 x 128, to both vector cores
using DPSlot = GlobalTensor<float, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ float *d_o,
    __gm__ float *v,
    __gm__ float *d_p_fifo,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    DPPipe d_p_pipe(d_p_fifo + int64_t(block) * 65536, 0x0, 0x0);
    int32_t heads0_buffer = 0;  // which of 2 buffers this iteration of heads0 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t kv0_tiles = (kv + 127) / 128;
    const int32_t tiles = (sq_end - sq_begin + 127) / 128 * kv0_tiles * 8;  // of sq0, kv0 and heads0
    for (int32_t tile = block; tile < tiles; tile += nblk, heads0_buffer ^= 1) {
        const int32_t sq0 = sq_begin + tile / (kv0_tiles * 8) * 128;
        const int32_t sq0_valid = sq_end - sq0 < 128 ? sq_end - sq0 : 128;
        const int32_t kv0 = tile / 8 % kv0_tiles * 128;
        const int32_t kv0_valid = kv - kv0 < 128 ? kv - kv0 : 128;
        const int32_t heads0 = tile % 8;
        // d_p: matmul(d_o, transpose(v, -2, -1), dtype=fp32)
        MatF32_128x128 d_o_tile(sq0_valid); TASSIGN(d_o_tile, 0x00000 + heads0_buffer * 0x10000);  // L1 0x00000..0x20000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(heads0_buffer));  // free again
        DOGm d_o_in(d_o + int64_t(heads0) * sq * 128 + int64_t(sq0) * 128, {sq0_valid});
        TLOAD(d_o_tile, d_o_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + heads0_buffer));
        MatZnF32_128x128 v_tile(kv0_valid); TASSIGN(v_tile, 0x20000 + heads0_buffer * 0x10000);  // L1 0x20000..0x40000, 2 copies
        VGm v_in(v + int64_t(heads0) * kv * 128 + int64_t(kv0) * 128, {kv0_valid});
        TLOAD(v_tile, v_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, event_t(heads0_buffer));
        LeftF32_128x128 d_o_tile_l0a(sq0_valid); TASSIGN<0x00000>(d_o_tile_l0a);  // L0A 0x00000..0x10000
        wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // free again
        wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + heads0_buffer));
        TEXTRACT(d_o_tile_l0a, d_o_tile, 0, 0);
        RightF32_128x128 v_tile_l0b(kv0_valid); TASSIGN<0x00000>(v_tile_l0b);  // L0B 0x00000..0x10000
        wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(heads0_buffer));
        TEXTRACT(v_tile_l0b, v_tile, 0, 0);
        set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
        set_flag(PIPE_MTE1, PIPE_MTE2, event_t(heads0_buffer));
        AccF32_128x128 d_p_acc(sq0_valid, kv0_valid); TASSIGN(d_p_acc, 0x00000 + heads0_buffer * 0x10000);  // L0C 0x00000..0x20000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
        TMATMUL<AccPhase::Final>(d_p_acc, d_o_tile_l0a, v_tile_l0b);
        set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
        TPUSH<DPPipe, AccF32_128x128, TileSplitAxis::TILE_NO_SPLIT>(d_p_pipe, d_p_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void of_weights_to_of_scores_cube(
    __gm__ uint64_t *ffts, __gm__ float *d_o, __gm__ float *v, __gm__ float *d_p_fifo, int32_t sq_begin,
    int32_t sq_end, int32_t sq, int32_t kv, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(d_o, v, d_p_fifo, sq_begin, sq_end, sq, kv, nblk, static_cast<int32_t>(get_block_idx()));
}
