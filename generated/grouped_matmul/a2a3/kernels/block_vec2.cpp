// block_vec2: vector kernel of `grouped_matmul` for a2a3. Made by pyptogen; change the spec, not this file.
// stages block; tiles source_1_columns 3072; memory UB 24576 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x3072 = Tile<TileType::Vec, int32_t, 1, 3072, BLayout::RowMajor, 1, DYNAMIC>;
using Source1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *source_1,
    int32_t full,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t source_1_columns0_buffer = 0;  // which of 2 buffers this iteration of source_1_columns0 uses
    set_flag(PIPE_MTE3, PIPE_S, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_S, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t source_1_columns0 = block * 3072; source_1_columns0 < full * 32 + 512; source_1_columns0 += nblk * 3072, source_1_columns0_buffer ^= 1) {
        const int32_t source_1_columns0_valid = full * 32 + 512 - source_1_columns0 < 3072 ? full * 32 + 512 - source_1_columns0 : 3072;
        // source: minimum(reshape(arange(blocks * r), [blocks, r]) + first[:, None], t - 1)
        VecI32_1x3072 source_1_view(source_1_columns0_valid); TASSIGN(source_1_view, 0x00000 + source_1_columns0_buffer * 0x03000);  // UB 0x00000..0x06000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_S, event_t(source_1_columns0_buffer));  // free again
        TCI<VecI32_1x3072, int32_t, 0>(source_1_view, source_1_columns0);
        set_flag(PIPE_S, PIPE_MTE3, event_t(source_1_columns0_buffer));
        wait_flag(PIPE_S, PIPE_MTE3, event_t(source_1_columns0_buffer));
        Source1Gm source_1_out(source_1 + int64_t(source_1_columns0), {source_1_columns0_valid});
        TSTORE(source_1_out, source_1_view);
        set_flag(PIPE_MTE3, PIPE_S, event_t(source_1_columns0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void block_vec2(__gm__ int32_t *source_1, int32_t full, int32_t nblk)
{
    run_block(source_1, full, nblk, static_cast<int32_t>(get_block_idx()));
}
