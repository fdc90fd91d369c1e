// scores_vec: vector kernel of `flash_attention_fp32_backward` for a2a3. Made by pyptogen; change the spec, not this file.
// stages scores; tiles heads 1, kv 128, sq 128; memory UB 131072 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using S2SlotGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using S2Pipe = TPipe<0, Direction::DIR_C2V, 65536, 4, 2, true, true>;  // 4 tiles of up to 128 x 128, to both vector cores
using S2Slot = GlobalTensor<float, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ float *s,
    __gm__ float *s_2_fifo,
    float scale,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
    int32_t nblk,
    int32_t block,
    int32_t subblock)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    S2Pipe s_2_pipe(s_2_fifo + int64_t(block) * 65536, 0x0, 0x0);
    int32_t heads0_buffer = 0;  // which of 2 buffers this iteration of heads0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    const int32_t kv0_tiles = (kv + 127) / 128;
    const int32_t tiles = (sq_end - sq_begin + 127) / 128 * kv0_tiles * 8;  // of sq0, kv0 and heads0
    for (int32_t tile = block; tile < tiles; tile += nblk, heads0_buffer ^= 1) {
        const int32_t sq0 = sq_begin + tile / (kv0_tiles * 8) * 128;
        const int32_t sq0_valid = sq_end - sq0 < 128 ? sq_end - sq0 : 128;
        const int32_t sq0_half = (sq0_valid + 1) / 2;  // half of the rows for each vector core
        const int32_t sq0_first = subblock * (sq0_valid - sq0_half);  // the first row of this core
        const int32_t kv0 = tile / 8 % kv0_tiles * 128;
        const int32_t kv0_valid = kv - kv0 < 128 ? kv - kv0 : 128;
        const int32_t heads0 = tile % 8;
        // s: matmul(q, transpose(k, -2, -1), dtype=fp32) * scale
        S2Slot s_2_view(s_2_fifo);
        TPOP<S2Pipe, S2Slot, TileSplitAxis::TILE_NO_SPLIT>(s_2_pipe, s_2_view);
        __gm__ float *s_2_slot = s_2_view.data();
        VecF32_64x128 s_2(sq0_half, kv0_valid); TASSIGN(s_2, 0x00000 + heads0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(heads0_buffer));  // free again
        S2SlotGm s_2_slot_in(s_2_slot + int64_t(kv0_valid) * sq0_first, {sq0_half, kv0_valid}, {int64_t(kv0_valid)});
        TLOAD(s_2, s_2_slot_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(heads0_buffer));
        TFREE<S2Pipe, S2Slot, TileSplitAxis::TILE_NO_SPLIT>(s_2_pipe, s_2_view);
        VecF32_64x128 s_tile(sq0_half, kv0_valid); TASSIGN(s_tile, 0x10000 + heads0_buffer * 0x08000);  // UB 0x10000..0x20000, 2 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(heads0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(heads0_buffer));  // free again
        TMULS(s_tile, s_2, scale);
        set_flag(PIPE_V, PIPE_MTE3, event_t(heads0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(heads0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(heads0_buffer));
        S2SlotGm s_out(s + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv) * sq0_first + int64_t(kv0), {sq0_half, kv0_valid}, {int64_t(kv)});
        TSTORE(s_out, s_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(heads0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void scores_vec(
    __gm__ uint64_t *ffts, __gm__ float *s, __gm__ float *s_2_fifo, float scale, int32_t sq_begin, int32_t sq_end,
    int32_t sq, int32_t kv, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(
        s, s_2_fifo, scale, sq_begin, sq_end, sq, kv, nblk, static_cast<int32_t>(get_block_idx()),
        static_cast<int32_t>(get_subblockid()));
}
