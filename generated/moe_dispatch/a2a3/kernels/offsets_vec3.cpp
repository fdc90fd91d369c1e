// offsets_vec3: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages offsets; tiles i2 1, once 1; memory UB 160 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x8_c1 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 1>;
using CountGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *before_1,
    __gm__ int32_t *count,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t i2_buffer = 0;  // which of 4 buffers this iteration of i2 uses
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free at first
    for (int32_t once = block; once < 1; once += nblk) {
        // before: cumsum(count, axis=-1) - count
        VecI32_1x8_c1 total; TASSIGN<0x00000>(total);  // UB 0x00000..0x00020
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free again
        TEXPANDS(total, 0);
        for (int32_t i2 = 0; i2 < 64; ++i2, i2_buffer = (i2_buffer + 1) % 4) {
            VecI32_1x8_c1 part; TASSIGN(part, 0x00020 + i2_buffer * 0x00020);  // UB 0x00020..0x000a0, 4 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));  // free again
            CountGm count_in(count + int64_t(i2));
            TLOAD(part, count_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
            wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
            TADD(total, total, part);
            set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
            set_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));
            wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
            CountGm before_1_out(before_1 + int64_t(i2));
            TSTORE(before_1_out, total);
            set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
        }
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void offsets_vec3(__gm__ int32_t *before_1, __gm__ int32_t *count, int32_t nblk)
{
    run_block(before_1, count, nblk, static_cast<int32_t>(get_block_idx()));
}
