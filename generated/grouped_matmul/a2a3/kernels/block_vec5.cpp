// block_vec5: vector kernel of `grouped_matmul` for a2a3. Made by pyptogen; change the spec, not this file.
// stages block; tiles blocks 128; memory UB 82944 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_128x32 = Tile<TileType::Vec, int32_t, 128, 32, BLayout::RowMajor, DYNAMIC, 32>;
using VecI32_1x128 = Tile<TileType::Vec, int32_t, 1, 128, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_128x1 = Tile<TileType::Vec, int32_t, 128, 1, BLayout::ColMajor, DYNAMIC, 1>;
using Source1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 32>, Stride<1, 1, 1, 32, 1>>;
using FirstGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *source,
    __gm__ int32_t *source_1,
    __gm__ int32_t *first,
    int32_t full,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t blocks0_buffer = 0;  // which of 2 buffers this iteration of blocks0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t blocks0 = block * 128; blocks0 < full + 16; blocks0 += nblk * 128, blocks0_buffer ^= 1) {
        const int32_t blocks0_valid = full + 16 - blocks0 < 128 ? full + 16 - blocks0 : 128;
        // source: minimum(reshape(arange(blocks * r), [blocks, r]) + first[:, None], t - 1)
        VecI32_128x32 source_1_tile(blocks0_valid); TASSIGN(source_1_tile, 0x00000 + blocks0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(blocks0_buffer));  // free again
        Source1Gm source_1_in(source_1 + int64_t(blocks0) * 32, {blocks0_valid});
        TLOAD(source_1_tile, source_1_in);
        VecI32_1x128 first_tile_row(blocks0_valid); TASSIGN(first_tile_row, 0x08000 + blocks0_buffer * 0x00200);  // as a row, same bytes as first_tile
        FirstGm first_in(first + int64_t(blocks0), {blocks0_valid});
        TLOAD(first_tile_row, first_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(blocks0_buffer));
        VecI32_128x32 source_4(blocks0_valid); TASSIGN<0x10400>(source_4);  // UB 0x10400..0x14400
        VecI32_128x1 first_tile(blocks0_valid); TASSIGN(first_tile, 0x08000 + blocks0_buffer * 0x00200);  // UB 0x08000..0x08400, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(blocks0_buffer));
        TROWEXPANDADD(source_4, source_1_tile, first_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(blocks0_buffer));
        VecI32_128x32 source_tile(blocks0_valid); TASSIGN(source_tile, 0x08400 + blocks0_buffer * 0x04000);  // UB 0x08400..0x10400, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(blocks0_buffer));  // free again
        TMINS(source_tile, source_4, 32*full - 1);
        set_flag(PIPE_V, PIPE_MTE3, event_t(blocks0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(blocks0_buffer));
        Source1Gm source_out(source + int64_t(blocks0) * 32, {blocks0_valid});
        TSTORE(source_out, source_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(blocks0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void block_vec5(
    __gm__ int32_t *source, __gm__ int32_t *source_1, __gm__ int32_t *first, int32_t full, int32_t nblk)
{
    run_block(source, source_1, first, full, nblk, static_cast<int32_t>(get_block_idx()));
}
