// gather_vec1: vector kernel of `sparse_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages gather; tiles selected 32, t 1; memory UB 512 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x32 = Tile<TileType::Vec, int32_t, 1, 32, BLayout::RowMajor, 1, 32>;
using IndexGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 32>, Stride<1, 1, 1, 2048, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *rows_1,
    __gm__ int32_t *index,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t selected0_buffer = 0;  // which of 2 buffers this iteration of selected0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin) * 64;  // of t0 and selected0
    for (int32_t tile = block; tile < tiles; tile += nblk, selected0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 64;
        const int32_t selected0 = tile % 64 * 32;
        // rows: index_select(latent, 0, reshape(maximum(index, 0), [t * selected]))
        VecI32_1x32 index_tile; TASSIGN(index_tile, 0x00000 + selected0_buffer * 0x00080);  // UB 0x00000..0x00100, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(selected0_buffer));  // free again
        IndexGm index_in(index + int64_t(t0) * 2048 + int64_t(selected0));
        TLOAD(index_tile, index_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(selected0_buffer));
        VecI32_1x32 rows_1_tile; TASSIGN(rows_1_tile, 0x00100 + selected0_buffer * 0x00080);  // UB 0x00100..0x00200, 2 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(selected0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(selected0_buffer));  // free again
        TMAXS(rows_1_tile, index_tile, 0);
        set_flag(PIPE_V, PIPE_MTE3, event_t(selected0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(selected0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(selected0_buffer));
        IndexGm rows_1_out(rows_1 + int64_t(t0) * 2048 + int64_t(selected0));
        TSTORE(rows_1_out, rows_1_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(selected0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void gather_vec1(
    __gm__ int32_t *rows_1, __gm__ int32_t *index, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(rows_1, index, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
