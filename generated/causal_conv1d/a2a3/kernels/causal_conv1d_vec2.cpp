// causal_conv1d_vec2: vector kernel of `causal_conv1d` for a2a3. Made by pyptogen; change the spec, not this file.
// stages causal_conv1d; tiles i2 1472, i3 12288, i4 1; memory UB 188416 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1472x16_c3 = Tile<TileType::Vec, bfloat16_t, 1472, 16, BLayout::RowMajor, DYNAMIC, 3>;
using VecB16_1x12288 = Tile<TileType::Vec, bfloat16_t, 1, 12288, BLayout::RowMajor, 1, DYNAMIC>;
using StateGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 3>, Stride<1, 1, 1, 3, 1>>;
using SeenGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 3>, Stride<1, 1, 1, DYNAMIC, 1>>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;

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
    int32_t i2_buffer = 0;  // which of 4 buffers this iteration of i2 uses
    int32_t i3_buffer = 0;  // which of 4 buffers this iteration of i3 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    for (int32_t i2 = block * 1472; i2 < b * 256; i2 += nblk * 1472, i2_buffer = (i2_buffer + 1) % 4) {
        const int32_t i2_valid = b * 256 - i2 < 1472 ? b * 256 - i2 : 1472;
        // seen: concat(state, x, axis=-1)
        VecB16_1472x16_c3 part(i2_valid); TASSIGN(part, 0x00000 + i2_buffer * 0x0b800);  // UB 0x00000..0x2e000, 4 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(i2_buffer));  // free again
        StateGm state_in(state + int64_t(i2) * 3, {i2_valid});
        TLOAD(part, state_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(i2_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(i2_buffer));
        SeenGm seen_out(seen + int64_t(i2) * 3 + int64_t(i2) * s, {i2_valid}, {int64_t(s) + 3});
        TSTORE(seen_out, part);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(i2_buffer));
    }
    const int32_t i3_tiles = (s + 12287) / 12288;
    const int32_t tiles = (b * 256) * i3_tiles;  // of i4 and i3
    for (int32_t tile = block; tile < tiles; tile += nblk, i3_buffer = (i3_buffer + 1) % 4) {
        const int32_t i4 = tile / i3_tiles;
        const int32_t i3 = tile % i3_tiles * 12288;
        const int32_t i3_valid = s - i3 < 12288 ? s - i3 : 12288;
        VecB16_1x12288 part_2(i3_valid); TASSIGN(part_2, 0x00000 + i3_buffer * 0x06000);  // UB 0x00000..0x18000, 4 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(i3_buffer));  // free again
        XGm x_in(x + int64_t(i3) + int64_t(i4) * s, {i3_valid}, {int64_t(s)});
        TLOAD(part_2, x_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(i3_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(i3_buffer));
        XGm seen_out(seen + int64_t(i4) * 3 + int64_t(i3) + int64_t(i4) * s + 3, {i3_valid}, {int64_t(s) + 3});
        TSTORE(seen_out, part_2);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(i3_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void causal_conv1d_vec2(
    __gm__ bfloat16_t *seen, __gm__ bfloat16_t *state, __gm__ bfloat16_t *x, int32_t b, int32_t s, int32_t nblk)
{
    run_block(seen, state, x, b, s, nblk, static_cast<int32_t>(get_block_idx()));
}
