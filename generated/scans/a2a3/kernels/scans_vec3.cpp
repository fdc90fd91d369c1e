// scans_vec3: vector kernel of `scans` for a2a3. Made by pyptogen; change the spec, not this file.
// stages scans; tiles at 1, i1 16; memory UB 98304 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_16x256 = Tile<TileType::Vec, int32_t, 16, 256, BLayout::RowMajor, DYNAMIC, 256>;
using VecI32_256x16 = Tile<TileType::Vec, int32_t, 256, 16, BLayout::RowMajor, 256, DYNAMIC>;
using VecI32_1x16 = Tile<TileType::Vec, int32_t, 1, 16, BLayout::RowMajor, 1, DYNAMIC>;
using MarkGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 256, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *count,
    __gm__ int32_t *mark,
    int32_t rows,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t i1_buffer = 0;  // which of 2 buffers this iteration of i1 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t i1 = block * 16; i1 < rows; i1 += nblk * 16, i1_buffer ^= 1) {
        const int32_t i1_valid = rows - i1 < 16 ? rows - i1 : 16;
        // count:   cumsum(mark, axis=-1)
        VecI32_16x256 part(i1_valid); TASSIGN(part, 0x00000 + i1_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));  // free again
        MarkGm mark_in(mark + int64_t(i1) * 256, {i1_valid});
        TLOAD(part, mark_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
        VecI32_256x16 across(i1_valid); TASSIGN<0x10000>(across);  // UB 0x10000..0x14000
        VecI32_16x256 across_tmp(i1_valid); TASSIGN<0x14000>(across_tmp);  // UB 0x14000..0x18000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
        TTRANS(across, part, across_tmp);
        set_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));
        for (int32_t at = 0; at < 255; ++at) {
            VecI32_1x16 following(i1_valid); TASSIGN(following, 0x10040 + at * 0x00040);  // rows at + 1.. of across
            VecI32_1x16 here(i1_valid); TASSIGN(here, 0x10000 + at * 0x00040);  // rows at.. of across
            pipe_barrier(PIPE_V);
            TADD(following, here, following);
        }
        VecI32_16x256 sums(i1_valid); TASSIGN(sums, 0x08000 + i1_buffer * 0x04000);  // UB 0x08000..0x10000, 2 copies
        VecI32_256x16 sums_tmp(i1_valid); TASSIGN<0x14000>(sums_tmp);  // UB 0x14000..0x18000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));  // free again
        TTRANS(sums, across, sums_tmp);
        set_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        MarkGm count_out(count + int64_t(i1) * 256, {i1_valid});
        TSTORE(count_out, sums);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void scans_vec3(
    __gm__ int32_t *count, __gm__ int32_t *mark, int32_t rows, int32_t nblk)
{
    run_block(count, mark, rows, nblk, static_cast<int32_t>(get_block_idx()));
}
