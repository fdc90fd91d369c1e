// group_vec6: vector kernel of `moe_select_groups` for a2a3. Made by pyptogen; change the spec, not this file.
// stages group; tiles i1 1; memory UB 352 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_4x8 = Tile<TileType::Vec, float, 4, 8, BLayout::RowMajor, 4, 8>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 8>;
using Open4Gm = GlobalTensor<float, Shape<1, 1, 1, 4, 8>, Stride<1, 1, 1, 8, 1>>;
using OpenGm = GlobalTensor<float, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ float *open,
    __gm__ float *open_4,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t i1_buffer = 0;  // which of 2 buffers this iteration of i1 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t i1 = block; i1 < t; i1 += nblk, i1_buffer ^= 1) {
        // open: sum(cast(one_hot(group, groups), fp32), axis=1)
        VecF32_4x8 part; TASSIGN(part, 0x00040 + i1_buffer * 0x00080);  // UB 0x00040..0x00140, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));  // free again
        Open4Gm open_4_in(open_4 + int64_t(i1) * 32);
        TLOAD(part, open_4_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
        VecF32_1x8 total; TASSIGN(total, 0x00000 + i1_buffer * 0x00020);  // UB 0x00000..0x00040, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));  // free again
        TEXPANDS(total, 0.0f);
        VecF32_1x8 found; TASSIGN<0x00140>(found);  // UB 0x00140..0x00160
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
        TCOLSUM(found, part);
        set_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));
        pipe_barrier(PIPE_V);
        TADD(total, total, found);
        set_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        OpenGm open_out(open + int64_t(i1) * 8);
        TSTORE(open_out, total);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void group_vec6(__gm__ float *open, __gm__ float *open_4, int32_t t, int32_t nblk)
{
    run_block(open, open_4, t, nblk, static_cast<int32_t>(get_block_idx()));
}
