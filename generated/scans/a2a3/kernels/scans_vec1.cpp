// scans_vec1: vector kernel of `scans` for a2a3. Made by pyptogen; change the spec, not this file.
// stages scans; tiles i2 1, once 1; memory UB 3072 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x256 = Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, 256>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, 1, 256>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ float *down,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t i2_buffer = 0;  // which of 2 buffers this iteration of i2 uses
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free at first
    for (int32_t once = block; once < 1; once += nblk) {
        // down:    cumsum(x, axis=0)
        VecF32_1x256 total; TASSIGN<0x00000>(total);  // UB 0x00000..0x00400
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free again
        TEXPANDS(total, 0.0f);
        for (int32_t i2 = 0; i2 < rows; ++i2, i2_buffer ^= 1) {
            VecF32_1x256 part; TASSIGN(part, 0x00400 + i2_buffer * 0x00400);  // UB 0x00400..0x00c00, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));  // free again
            XGm x_in(x + int64_t(i2) * 256);
            TLOAD(part, x_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
            wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
            TADD(total, total, part);
            set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
            set_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));
            wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
            XGm down_out(down + int64_t(i2) * 256);
            TSTORE(down_out, total);
            set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
        }
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void scans_vec1(__gm__ float *down, __gm__ float *x, int32_t rows, int32_t nblk)
{
    run_block(down, x, rows, nblk, static_cast<int32_t>(get_block_idx()));
}
