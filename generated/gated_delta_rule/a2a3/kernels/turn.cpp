// turn: vector kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages turn; tiles b 1, dk 32, group 1, heads 1; memory UB 98304 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_128x32 = Tile<TileType::Vec, float, 128, 32, BLayout::RowMajor, 128, 32>;
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, 32, 128>;
using StateGm = GlobalTensor<float, Shape<1, 1, 1, 128, 32>, Stride<1, 1, 1, 128, 1>>;
using StateTGm = GlobalTensor<float, Shape<1, 1, 1, 32, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ float *state_t,
    __gm__ float *state,
    int32_t b_begin,
    int32_t b_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t dk0_buffer = 0;  // which of 2 buffers this iteration of dk0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t b0 = b_begin; b0 < b_end; ++b0) {
        for (int32_t heads0 = block; heads0 < 16; heads0 += nblk) {
            for (int32_t group0 = 0; group0 < 2; ++group0) {
                for (int32_t dk0 = 0; dk0 < 128; dk0 += 32, dk0_buffer ^= 1) {
                    // state_t: transpose(state, -2, -1) * 1
                    VecF32_128x32 state_tile_across; TASSIGN(state_tile_across, 0x08000 + dk0_buffer * 0x04000);  // UB 0x08000..0x10000, 2 copies
                    wait_flag(PIPE_V, PIPE_MTE2, event_t(dk0_buffer));  // free again
                    StateGm state_in(state + int64_t(b0) * 524288 + int64_t(heads0) * 32768 + int64_t(group0) * 16384 + int64_t(dk0));
                    TLOAD(state_tile_across, state_in);
                    set_flag(PIPE_MTE2, PIPE_V, event_t(dk0_buffer));
                    VecF32_32x128 state_tile; TASSIGN<0x10000>(state_tile);  // UB 0x10000..0x14000
                    VecF32_128x32 state_tile_tmp; TASSIGN<0x14000>(state_tile_tmp);  // UB 0x14000..0x18000
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_MTE2, PIPE_V, event_t(dk0_buffer));
                    TTRANS(state_tile, state_tile_across, state_tile_tmp);
                    set_flag(PIPE_V, PIPE_MTE2, event_t(dk0_buffer));
                    VecF32_32x128 state_t_tile; TASSIGN(state_t_tile, 0x00000 + dk0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_MTE3, PIPE_V, event_t(dk0_buffer));  // free again
                    TMULS(state_t_tile, state_tile, 1.0f);
                    set_flag(PIPE_V, PIPE_MTE3, event_t(dk0_buffer));
                    wait_flag(PIPE_V, PIPE_MTE3, event_t(dk0_buffer));
                    StateTGm state_t_out(state_t + int64_t(b0) * 524288 + int64_t(heads0) * 32768 + int64_t(group0) * 16384 + int64_t(dk0) * 128);
                    TSTORE(state_t_out, state_t_tile);
                    set_flag(PIPE_MTE3, PIPE_V, event_t(dk0_buffer));
                }
            }
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void turn(
    __gm__ float *state_t, __gm__ float *state, int32_t b_begin, int32_t b_end, int32_t nblk)
{
    run_block(state_t, state, b_begin, b_end, nblk, static_cast<int32_t>(get_block_idx()));
}
