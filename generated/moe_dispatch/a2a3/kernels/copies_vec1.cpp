// copies_vec1: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages copies; tiles t 128; memory UB 16384 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x1024 = Tile<TileType::Vec, int32_t, 1, 1024, BLayout::RowMajor, 1, DYNAMIC>;
using SourceGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *rows_2,
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
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 128; t0 < t_end; t0 += nblk * 128, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 128 ? t_end - t0 : 128;
        // rows: index_select(x, 0, floor_div(reshape(source, [t * k]), k))
        VecI32_1x1024 source_tile(t0_valid * 8); TASSIGN(source_tile, 0x00000 + t0_buffer * 0x01000);  // UB 0x00000..0x02000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        SourceGm source_in(source + int64_t(t0) * 8, {t0_valid * 8});
        TLOAD(source_tile, source_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecI32_1x1024 rows_2_tile(t0_valid * 8); TASSIGN(rows_2_tile, 0x02000 + t0_buffer * 0x01000);  // UB 0x02000..0x04000, 2 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TSHRS(rows_2_tile, source_tile, 3);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        SourceGm rows_2_out(rows_2 + int64_t(t0) * 8, {t0_valid * 8});
        TSTORE(rows_2_out, rows_2_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void copies_vec1(
    __gm__ int32_t *rows_2, __gm__ int32_t *source, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(rows_2, source, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
