// scans_vec3: vector kernel of `scans` for a2a3. Made by pyptogen; change the spec, not this file.
// stages scans; tiles i1 768, i2 1; memory UB 129024 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x768 = Tile<TileType::Vec, int32_t, 1, 768, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_768x8_c1 = Tile<TileType::Vec, int32_t, 768, 8, BLayout::RowMajor, DYNAMIC, 1>;
using MarkGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, 256, 1>>;

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
    int32_t i2_buffer = 0;  // which of 2 buffers this iteration of i2 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t i1 = block * 768; i1 < rows; i1 += nblk * 768) {
        const int32_t i1_valid = rows - i1 < 768 ? rows - i1 : 768;
        // count:   cumsum(mark, axis=-1)
        VecI32_1x768 total_row(i1_valid); TASSIGN<0x18000>(total_row);  // as a row, same bytes as total
        pipe_barrier(PIPE_V);
        TEXPANDS(total_row, 0);
        for (int32_t i2 = 0; i2 < 256; ++i2, i2_buffer ^= 1) {
            VecI32_768x8_c1 part_apart(i1_valid); TASSIGN(part_apart, 0x00000 + i2_buffer * 0x06000);  // UB 0x00000..0x0c000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));  // free again
            MarkGm mark_in(mark + int64_t(i1) * 256 + int64_t(i2), {i1_valid});
            TLOAD(part_apart, mark_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
            VecI32_1x768 part_row(i1_valid); TASSIGN<0x18c00>(part_row);  // as a row, same bytes as part
            VecI32_768x8_c1 part_apart_tmp(i1_valid); TASSIGN<0x19800>(part_apart_tmp);  // UB 0x19800..0x1f800
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
            TTRANS(part_row, part_apart, part_apart_tmp);
            set_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));
            pipe_barrier(PIPE_V);
            TADD(total_row, total_row, part_row);
            VecI32_768x8_c1 total_apart(i1_valid); TASSIGN(total_apart, 0x0c000 + i2_buffer * 0x06000);  // UB 0x0c000..0x18000, 2 copies
            VecI32_768x8_c1 total_apart_tmp(i1_valid); TASSIGN<0x18c00>(total_apart_tmp);  // UB 0x18c00..0x1ec00
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, event_t(i2_buffer));  // free again
            TTRANS(total_apart, total_row, total_apart_tmp);
            set_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
            MarkGm count_out(count + int64_t(i1) * 256 + int64_t(i2), {i1_valid});
            TSTORE(count_out, total_apart);
            set_flag(PIPE_MTE3, PIPE_V, event_t(i2_buffer));
        }
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
