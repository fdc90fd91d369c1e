// out: vector kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages out; tiles i1 64, i2 64, i3 1; memory UB 81920 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x64 = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, 64, 64>;
using StateEndGm = GlobalTensor<float, Shape<1, 1, 1, 64, 64>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ float *state,
    __gm__ float *state_end,
    int32_t b,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t i2_buffer = 0;  // which of 2 buffers this iteration of i2 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (b * 32) * 4;  // of i3, i1 and i2
    for (int32_t tile = block; tile < tiles; tile += nblk, i2_buffer ^= 1) {
        const int32_t i3 = tile / 4;
        const int32_t i1 = tile / 2 % 2 * 64;
        const int32_t i2 = tile % 2 * 64;
        // state: transpose(state_end, -2, -1)
        VecF32_64x64 part; TASSIGN(part, 0x00000 + i2_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));  // free again
        StateEndGm state_end_in(state_end + int64_t(i3) * 16384 + int64_t(i2) * 128 + int64_t(i1));
        TLOAD(part, state_end_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
        VecF32_64x64 transposed; TASSIGN(transposed, 0x08000 + i2_buffer * 0x04000);  // UB 0x08000..0x10000, 2 copies
        VecF32_64x64 transposed_tmp; TASSIGN<0x10000>(transposed_tmp);  // UB 0x10000..0x14000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i2_buffer));  // free again
        TTRANS(transposed, part, transposed_tmp);
        set_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
        StateEndGm state_out(state + int64_t(i3) * 16384 + int64_t(i1) * 128 + int64_t(i2));
        TSTORE(state_out, transposed);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i2_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void out(__gm__ float *state, __gm__ float *state_end, int32_t b, int32_t nblk)
{
    run_block(state, state_end, b, nblk, static_cast<int32_t>(get_block_idx()));
}
