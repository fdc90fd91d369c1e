// causal_conv1d_vec4: vector kernel of `causal_conv1d` for a2a3. Made by pyptogen; change the spec, not this file.
// stages causal_conv1d; tiles state_copy_rows 368; memory UB 23552 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_368x16_c3 = Tile<TileType::Vec, bfloat16_t, 368, 16, BLayout::RowMajor, DYNAMIC, 3>;
using SeenGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 3>, Stride<1, 1, 1, DYNAMIC, 1>>;
using StateGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 3>, Stride<1, 1, 1, 3, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *state,
    __gm__ bfloat16_t *seen,
    int32_t b,
    int32_t s,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t state_copy_rows0_buffer = 0;  // which of 2 buffers this iteration of state_copy_rows0 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t state_copy_rows0 = block * 368; state_copy_rows0 < b * 256; state_copy_rows0 += nblk * 368, state_copy_rows0_buffer ^= 1) {
        const int32_t state_copy_rows0_valid = b * 256 - state_copy_rows0 < 368 ? b * 256 - state_copy_rows0 : 368;
        // state: seen[:, :, s:]
        VecB16_368x16_c3 seen_tile(state_copy_rows0_valid); TASSIGN(seen_tile, 0x00000 + state_copy_rows0_buffer * 0x02e00);  // UB 0x00000..0x05c00, 2 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(state_copy_rows0_buffer));  // free again
        SeenGm seen_in(seen + int64_t(state_copy_rows0) * 3 + int64_t(s) + int64_t(s) * state_copy_rows0, {state_copy_rows0_valid}, {int64_t(s) + 3});
        TLOAD(seen_tile, seen_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(state_copy_rows0_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(state_copy_rows0_buffer));
        StateGm state_out(state + int64_t(state_copy_rows0) * 3, {state_copy_rows0_valid});
        TSTORE(state_out, seen_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(state_copy_rows0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void causal_conv1d_vec4(
    __gm__ bfloat16_t *state, __gm__ bfloat16_t *seen, int32_t b, int32_t s, int32_t nblk)
{
    run_block(state, seen, b, s, nblk, static_cast<int32_t>(get_block_idx()));
}
