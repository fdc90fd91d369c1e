// rope_interleaved_vec2: vector kernel of `rope_interleaved` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rope_interleaved; tiles i1 1536, i2 1536; memory UB 153600 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x1536 = Tile<TileType::Vec, bfloat16_t, 1, 1536, BLayout::RowMajor, 1, DYNAMIC>;
using VecB16_1536x16_c1 = Tile<TileType::Vec, bfloat16_t, 1536, 16, BLayout::RowMajor, DYNAMIC, 1>;
using YEvenGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, 2, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *y_even,
    __gm__ bfloat16_t *y_odd,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t i1_buffer = 0;  // which of 2 buffers this iteration of i1 uses
    int32_t i2_buffer = 0;  // which of 2 buffers this iteration of i2 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t i1 = block * 1536; i1 < t * 512; i1 += nblk * 1536, i1_buffer ^= 1) {
        const int32_t i1_valid = t * 512 - i1 < 1536 ? t * 512 - i1 : 1536;
        // y: rope(x, cos[:, None, :], sin[:, None, :], interleaved=true)
        VecB16_1x1536 part_row(i1_valid); TASSIGN(part_row, 0x00000 + i1_buffer * 0x00c00);  // as a row, same bytes as part
        wait_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));  // free again
        YEvenGm y_even_in(y_even + int64_t(i1), {i1_valid});
        TLOAD(part_row, y_even_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
        VecB16_1536x16_c1 part_apart(i1_valid); TASSIGN(part_apart, 0x01800 + i1_buffer * 0x0c000);  // UB 0x01800..0x19800, 2 copies
        VecB16_1536x16_c1 part_apart_tmp(i1_valid); TASSIGN<0x19800>(part_apart_tmp);  // UB 0x19800..0x25800
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));  // free again
        TTRANS(part_apart, part_row, part_apart_tmp);
        set_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        YGm y_out(y + int64_t(i1) * 2, {i1_valid});
        TSTORE(y_out, part_apart);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));
    }
    for (int32_t i2 = block * 1536; i2 < t * 512; i2 += nblk * 1536, i2_buffer ^= 1) {
        const int32_t i2_valid = t * 512 - i2 < 1536 ? t * 512 - i2 : 1536;
        VecB16_1x1536 part_2_row(i2_valid); TASSIGN(part_2_row, 0x00000 + i2_buffer * 0x00c00);  // as a row, same bytes as part_2
        wait_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));  // free again
        YEvenGm y_odd_in(y_odd + int64_t(i2), {i2_valid});
        TLOAD(part_2_row, y_odd_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
        VecB16_1536x16_c1 part_2_apart(i2_valid); TASSIGN(part_2_apart, 0x01800 + i2_buffer * 0x0c000);  // UB 0x01800..0x19800, 2 copies
        VecB16_1536x16_c1 part_2_apart_tmp(i2_valid); TASSIGN<0x19800>(part_2_apart_tmp);  // UB 0x19800..0x25800
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i2_buffer));  // free again
        TTRANS(part_2_apart, part_2_row, part_2_apart_tmp);
        set_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
        YGm y_out(y + int64_t(i2) * 2 + 1, {i2_valid});
        TSTORE(y_out, part_2_apart);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i2_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void rope_interleaved_vec2(
    __gm__ bfloat16_t *y, __gm__ bfloat16_t *y_even, __gm__ bfloat16_t *y_odd, int32_t t, int32_t nblk)
{
    run_block(y, y_even, y_odd, t, nblk, static_cast<int32_t>(get_block_idx()));
}
