// places_vec3: vector kernel of `grouped_matmul` for a2a3. Made by pyptogen; change the spec, not this file.
// stages places; tiles i2 1, once 1; memory UB 96 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x8_c1 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 1>;
using NeedGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *upto,
    __gm__ int32_t *need,
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
        // upto:  cumsum(need, axis=-1)
        VecI32_1x8_c1 total; TASSIGN<0x00000>(total);  // UB 0x00000..0x00020
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free again
        TEXPANDS(total, 0);
        for (int32_t i2 = 0; i2 < 16; ++i2, i2_buffer ^= 1) {
            VecI32_1x8_c1 part; TASSIGN(part, 0x00020 + i2_buffer * 0x00020);  // UB 0x00020..0x00060, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));  // free again
            NeedGm need_in(need + int64_t(i2));
            TLOAD(part, need_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
            wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
            TADD(total, total, part);
            set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
            set_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));
            wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
            NeedGm upto_out(upto + int64_t(i2));
            TSTORE(upto_out, total);
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

extern "C" __global__ AICORE void places_vec3(__gm__ int32_t *upto, __gm__ int32_t *need, int32_t nblk)
{
    run_block(upto, need, nblk, static_cast<int32_t>(get_block_idx()));
}
