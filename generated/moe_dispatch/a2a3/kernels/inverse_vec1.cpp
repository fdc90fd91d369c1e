// inverse_vec1: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages inverse; tiles t 128; memory UB 8192 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x1024 = Tile<TileType::Vec, int32_t, 1, 1024, BLayout::RowMajor, 1, DYNAMIC>;
using SourceGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;

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
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 128; t0 < t_end; t0 += nblk * 128, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 128 ? t_end - t0 : 128;
        // source: scatter_update(zeros([t * k, 1], int32), reshape(place, [t * k]), copy, dim=0)
        VecI32_1x1024 source_1_row(t0_valid * 8); TASSIGN(source_1_row, 0x00000 + t0_buffer * 0x01000);  // as a row, same bytes as source_1
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TEXPANDS(source_1_row, 0);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        SourceGm source_out(source + int64_t(t0) * 8, {t0_valid * 8});
        TSTORE(source_out, source_1_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void inverse_vec1(__gm__ int32_t *source, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(source, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
