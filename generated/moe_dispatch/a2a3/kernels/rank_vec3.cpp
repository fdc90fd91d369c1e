// rank_vec3: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rank; tiles i1 1; memory UB 9472 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_8x64 = Tile<TileType::Vec, int32_t, 8, 64, BLayout::RowMajor, 8, 64>;
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using ChosenGm = GlobalTensor<int32_t, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, 64, 1>>;
using EachGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *each,
    __gm__ int32_t *chosen,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t i1_buffer = 0;  // which of 4 buffers this iteration of i1 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    for (int32_t i1 = block; i1 < t; i1 += nblk, i1_buffer = (i1_buffer + 1) % 4) {
        // each:   sum(chosen, axis=1)
        VecI32_8x64 part; TASSIGN(part, 0x00000 + i1_buffer * 0x00800);  // UB 0x00000..0x02000, 4 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));  // free again
        ChosenGm chosen_in(chosen + int64_t(i1) * 512);
        TLOAD(part, chosen_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
        VecI32_1x64 total; TASSIGN(total, 0x02000 + i1_buffer * 0x00100);  // UB 0x02000..0x02400, 4 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));  // free again
        TEXPANDS(total, 0);
        VecI32_1x64 found; TASSIGN<0x02400>(found);  // UB 0x02400..0x02500
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
        TCOLSUM(found, part);
        set_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));
        pipe_barrier(PIPE_V);
        TADD(total, total, found);
        set_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        EachGm each_out(each + int64_t(i1) * 64);
        TSTORE(each_out, total);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void rank_vec3(__gm__ int32_t *each, __gm__ int32_t *chosen, int32_t t, int32_t nblk)
{
    run_block(each, chosen, t, nblk, static_cast<int32_t>(get_block_idx()));
}
