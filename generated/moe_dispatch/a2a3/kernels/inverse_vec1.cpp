// inverse_vec1: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages inverse; tiles t 1; memory UB 128 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using SourceGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *source,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 4 buffers this iteration of t0 uses
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk, t0_buffer = (t0_buffer + 1) % 4) {
        // source: scatter_update(zeros([t * k, 1], int32), reshape(place, [t * k]), copy, dim=0)
        VecI32_1x8 source_1_row; TASSIGN(source_1_row, 0x00000 + t0_buffer * 0x00020);  // as a row, same bytes as source_1
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TEXPANDS(source_1_row, 0);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        SourceGm source_out(source + int64_t(t0) * 8);
        TSTORE(source_out, source_1_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void inverse_vec1(__gm__ int32_t *source, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(source, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
