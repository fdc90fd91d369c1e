// out: vector kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages out; tiles dk 64, state_copy_axis 1; memory UB 163840 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, 128>;
using VecF32_128x64 = Tile<TileType::Vec, float, 128, 64, BLayout::RowMajor, 128, 64>;
using StateEndGm = GlobalTensor<float, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
using StateGm = GlobalTensor<float, Shape<1, 1, 1, 128, 64>, Stride<1, 1, 1, 128, 1>>;

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
    int32_t dk0_buffer = 0;  // which of 2 buffers this iteration of dk0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (b * 32) * 2;  // of state_copy_axis0 and dk0
    for (int32_t tile = block; tile < tiles; tile += nblk, dk0_buffer ^= 1) {
        const int32_t state_copy_axis0 = tile / 2;
        const int32_t dk0 = tile % 2 * 64;
        // state: transpose(state_end, -2, -1)
        VecF32_64x128 state_end_tile_across; TASSIGN(state_end_tile_across, 0x10000 + dk0_buffer * 0x08000);  // UB 0x10000..0x20000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(dk0_buffer));  // free again
        StateEndGm state_end_in(state_end + int64_t(state_copy_axis0) * 16384 + int64_t(dk0) * 128);
        TLOAD(state_end_tile_across, state_end_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(dk0_buffer));
        VecF32_128x64 state_end_tile; TASSIGN(state_end_tile, 0x00000 + dk0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        VecF32_64x128 state_end_tile_tmp; TASSIGN<0x20000>(state_end_tile_tmp);  // UB 0x20000..0x28000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(dk0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(dk0_buffer));  // free again
        TTRANS(state_end_tile, state_end_tile_across, state_end_tile_tmp);
        set_flag(PIPE_V, PIPE_MTE3, event_t(dk0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(dk0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(dk0_buffer));
        StateGm state_out(state + int64_t(state_copy_axis0) * 16384 + int64_t(dk0));
        TSTORE(state_out, state_end_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(dk0_buffer));
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
