// block_vec1: vector kernel of `grouped_matmul` for a2a3. Made by pyptogen; change the spec, not this file.
// stages block; tiles blocks 96; memory UB 768 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x96 = Tile<TileType::Vec, int32_t, 1, 96, BLayout::RowMajor, 1, DYNAMIC>;
using Done1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *done_1,
    int32_t full,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t blocks0_buffer = 0;  // which of 2 buffers this iteration of blocks0 uses
    set_flag(PIPE_MTE3, PIPE_S, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_S, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t blocks0 = block * 96; blocks0 < full + 16; blocks0 += nblk * 96, blocks0_buffer ^= 1) {
        const int32_t blocks0_valid = full + 16 - blocks0 < 96 ? full + 16 - blocks0 : 96;
        // done:   cast(reshape(arange(blocks), [blocks, 1]) >= upto, int32)
        VecI32_1x96 done_1_view(blocks0_valid); TASSIGN(done_1_view, 0x00000 + blocks0_buffer * 0x00180);  // UB 0x00000..0x00300, 2 copies
        wait_flag(PIPE_MTE3, PIPE_S, event_t(blocks0_buffer));  // free again
        TCI<VecI32_1x96, int32_t, 0>(done_1_view, blocks0);
        set_flag(PIPE_S, PIPE_MTE3, event_t(blocks0_buffer));
        wait_flag(PIPE_S, PIPE_MTE3, event_t(blocks0_buffer));
        Done1Gm done_1_out(done_1 + int64_t(blocks0), {blocks0_valid});
        TSTORE(done_1_out, done_1_view);
        set_flag(PIPE_MTE3, PIPE_S, event_t(blocks0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void block_vec1(__gm__ int32_t *done_1, int32_t full, int32_t nblk)
{
    run_block(done_1, full, nblk, static_cast<int32_t>(get_block_idx()));
}
