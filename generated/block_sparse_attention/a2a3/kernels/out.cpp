// out: vector kernel of `block_sparse_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages out; tiles heads 1, q_blocks 1; memory UB 131584 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, 128>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, 64, 1>;
using VecB16_64x128 = Tile<TileType::Vec, bfloat16_t, 64, 128, BLayout::RowMajor, 64, 128>;
using AccEndGm = GlobalTensor<float, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
using LEndGm = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 0, 1>>;
using OGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *o,
    __gm__ float *acc_end,
    __gm__ float *l_end,
    int32_t q_blocks_begin,
    int32_t q_blocks_end,
    int32_t q_blocks,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t heads0_buffer = 0;  // which of 2 buffers this iteration of heads0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (q_blocks_end - q_blocks_begin) * 8;  // of q_blocks0 and heads0
    for (int32_t tile = block; tile < tiles; tile += nblk, heads0_buffer ^= 1) {
        const int32_t q_blocks0 = q_blocks_begin + tile / 8;
        const int32_t heads0 = tile % 8;
        // o: cast(acc / l, bf16)
        VecF32_64x128 acc_end_tile; TASSIGN(acc_end_tile, 0x00000 + heads0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(heads0_buffer));  // free again
        AccEndGm acc_end_in(acc_end + int64_t(heads0) * q_blocks * 8192 + int64_t(q_blocks0) * 8192);
        TLOAD(acc_end_tile, acc_end_in);
        VecF32_1x64 l_end_tile_row; TASSIGN(l_end_tile_row, 0x10000 + heads0_buffer * 0x00100);  // as a row, same bytes as l_end_tile
        LEndGm l_end_in(l_end + int64_t(heads0) * q_blocks * 64 + int64_t(q_blocks0) * 64);
        TLOAD(l_end_tile_row, l_end_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(heads0_buffer));
        VecF32_64x128 o_1; TASSIGN<0x18200>(o_1);  // UB 0x18200..0x20200
        VecF32_64x1 l_end_tile; TASSIGN(l_end_tile, 0x10000 + heads0_buffer * 0x00100);  // UB 0x10000..0x10200, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(heads0_buffer));
        TROWEXPANDDIV(o_1, acc_end_tile, l_end_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(heads0_buffer));
        VecB16_64x128 o_tile; TASSIGN(o_tile, 0x10200 + heads0_buffer * 0x04000);  // UB 0x10200..0x18200, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(heads0_buffer));  // free again
        TCVT(o_tile, o_1, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(heads0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(heads0_buffer));
        OGm o_out(o + int64_t(heads0) * q_blocks * 8192 + int64_t(q_blocks0) * 8192);
        TSTORE(o_out, o_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(heads0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void out(
    __gm__ bfloat16_t *o, __gm__ float *acc_end, __gm__ float *l_end, int32_t q_blocks_begin, int32_t q_blocks_end,
    int32_t q_blocks, int32_t nblk)
{
    run_block(
        o, acc_end, l_end, q_blocks_begin, q_blocks_end, q_blocks, nblk, static_cast<int32_t>(get_block_idx()));
}
