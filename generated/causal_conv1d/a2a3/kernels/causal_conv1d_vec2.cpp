// causal_conv1d_vec2: vector kernel of `causal_conv1d` for a2a3. Made by pyptogen; change the spec, not this file.
// stages causal_conv1d; tiles s 6144, seen_rows 368, seen_rows_2 4; memory UB 182784 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_368x16_c3 = Tile<TileType::Vec, bfloat16_t, 368, 16, BLayout::RowMajor, DYNAMIC, 3>;
using VecB16_4x6144 = Tile<TileType::Vec, bfloat16_t, 4, 6144, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using StateGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 3>, Stride<1, 1, 1, 3, 1>>;
using SeenGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 3>, Stride<1, 1, 1, DYNAMIC, 1>>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *seen,
    __gm__ bfloat16_t *state,
    __gm__ bfloat16_t *x,
    int32_t b,
    int32_t s,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t seen_rows0_buffer = 0;  // which of 3 buffers this iteration of seen_rows0 uses
    int32_t s0_buffer = 0;  // which of 3 buffers this iteration of s0 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 3 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2);  // 3 buffers are free at first
    for (int32_t seen_rows0 = block * 368; seen_rows0 < b * 256; seen_rows0 += nblk * 368, seen_rows0_buffer = (seen_rows0_buffer + 1) % 3) {
        const int32_t seen_rows0_valid = b * 256 - seen_rows0 < 368 ? b * 256 - seen_rows0 : 368;
        // seen: concat(state, x, axis=-1)
        VecB16_368x16_c3 state_tile(seen_rows0_valid); TASSIGN(state_tile, 0x00000 + seen_rows0_buffer * 0x02e00);  // UB 0x00000..0x08a00, 3 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(seen_rows0_buffer));  // free again
        StateGm state_in(state + int64_t(seen_rows0) * 3, {seen_rows0_valid});
        TLOAD(state_tile, state_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(seen_rows0_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(seen_rows0_buffer));
        SeenGm seen_out(seen + int64_t(seen_rows0) * 3 + int64_t(s) * seen_rows0, {seen_rows0_valid}, {int64_t(s) + 3});
        TSTORE(seen_out, state_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(seen_rows0_buffer));
    }
    const int32_t s0_tiles = (s + 6143) / 6144;
    const int32_t tiles = (b * 256 + 3) / 4 * s0_tiles;  // of seen_rows_20 and s0
    for (int32_t tile = block; tile < tiles; tile += nblk, s0_buffer = (s0_buffer + 1) % 3) {
        const int32_t seen_rows_20 = tile / s0_tiles * 4;
        const int32_t seen_rows_20_valid = b * 256 - seen_rows_20 < 4 ? b * 256 - seen_rows_20 : 4;
        const int32_t s0 = tile % s0_tiles * 6144;
        const int32_t s0_valid = s - s0 < 6144 ? s - s0 : 6144;
        VecB16_4x6144 x_tile(seen_rows_20_valid, s0_valid); TASSIGN(x_tile, 0x08a00 + s0_buffer * 0x0c000);  // UB 0x08a00..0x2ca00, 3 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(s0_buffer));  // free again
        XGm x_in(x + int64_t(s) * seen_rows_20 + int64_t(s0), {seen_rows_20_valid, s0_valid}, {int64_t(s)});
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(s0_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(s0_buffer));
        XGm seen_out(seen + int64_t(seen_rows_20) * 3 + int64_t(s) * seen_rows_20 + int64_t(s0) + 3, {seen_rows_20_valid, s0_valid}, {int64_t(s) + 3});
        TSTORE(seen_out, x_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(s0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 3 buffers
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2);  // drain: the last use of each of 3 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void causal_conv1d_vec2(
    __gm__ bfloat16_t *seen, __gm__ bfloat16_t *state, __gm__ bfloat16_t *x, int32_t b, int32_t s, int32_t nblk)
{
    run_block(seen, state, x, b, s, nblk, static_cast<int32_t>(get_block_idx()));
}
