// conv2d_vec2: vector kernel of `conv2d` for a2a3. Made by pyptogen; change the spec, not this file.
// stages conv2d; tiles i1 1536, i3 219, i4 1536; memory UB 153600 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x1536 = Tile<TileType::Vec, bfloat16_t, 1, 1536, BLayout::RowMajor, 1, DYNAMIC>;
using VecB16_1536x16_c1 = Tile<TileType::Vec, bfloat16_t, 1536, 16, BLayout::RowMajor, DYNAMIC, 1>;
using VecB16_224x64_c56 = Tile<TileType::Vec, bfloat16_t, 224, 64, BLayout::RowMajor, DYNAMIC, 56>;
using YEdgeGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using YPaddedGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, 58, 1>>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 56>, Stride<1, 1, 1, 56, 1>>;
using YPaddedGm2 = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 56>, Stride<1, 1, 1, 58, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y_padded,
    __gm__ bfloat16_t *y_edge,
    __gm__ bfloat16_t *x,
    int32_t n,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t i1_buffer = 0;  // which of 2 buffers this iteration of i1 uses
    int32_t i3_buffer = 0;  // which of 2 buffers this iteration of i3 uses
    int32_t i4_buffer = 0;  // which of 2 buffers this iteration of i4 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t i1 = block * 1536; i1 < n * 3584; i1 += nblk * 1536, i1_buffer ^= 1) {
        const int32_t i1_valid = n * 3584 - i1 < 1536 ? n * 3584 - i1 : 1536;
        // y: cast(relu(conv(x, w, strides=2, paddings=1, bias=bias, dtype=fp32)), bf16)
        VecB16_1x1536 part_row(i1_valid); TASSIGN(part_row, 0x00000 + i1_buffer * 0x00c00);  // as a row, same bytes as part
        wait_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));  // free again
        YEdgeGm y_edge_in(y_edge + int64_t(i1), {i1_valid});
        TLOAD(part_row, y_edge_in);
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
        YPaddedGm y_padded_out(y_padded + int64_t(i1) * 58, {i1_valid});
        TSTORE(y_padded_out, part_apart);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));
    }
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t i3 = block * 219; i3 < n * 3584; i3 += nblk * 219, i3_buffer ^= 1) {
        const int32_t i3_valid = n * 3584 - i3 < 219 ? n * 3584 - i3 : 219;
        VecB16_224x64_c56 part_2(i3_valid); TASSIGN(part_2, 0x00000 + i3_buffer * 0x06d80);  // UB 0x00000..0x0db00, 2 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(i3_buffer));  // free again
        XGm x_in(x + int64_t(i3) * 56, {i3_valid});
        TLOAD(part_2, x_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(i3_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(i3_buffer));
        YPaddedGm2 y_padded_out(y_padded + int64_t(i3) * 58 + 1, {i3_valid});
        TSTORE(y_padded_out, part_2);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(i3_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    for (int32_t i4 = block * 1536; i4 < n * 3584; i4 += nblk * 1536, i4_buffer ^= 1) {
        const int32_t i4_valid = n * 3584 - i4 < 1536 ? n * 3584 - i4 : 1536;
        VecB16_1x1536 part_3_row(i4_valid); TASSIGN(part_3_row, 0x00000 + i4_buffer * 0x00c00);  // as a row, same bytes as part_3
        wait_flag(PIPE_V, PIPE_MTE2, event_t(i4_buffer));  // free again
        YEdgeGm y_edge_in(y_edge + int64_t(i4), {i4_valid});
        TLOAD(part_3_row, y_edge_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(i4_buffer));
        VecB16_1536x16_c1 part_3_apart(i4_valid); TASSIGN(part_3_apart, 0x01800 + i4_buffer * 0x0c000);  // UB 0x01800..0x19800, 2 copies
        VecB16_1536x16_c1 part_3_apart_tmp(i4_valid); TASSIGN<0x19800>(part_3_apart_tmp);  // UB 0x19800..0x25800
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(i4_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i4_buffer));  // free again
        TTRANS(part_3_apart, part_3_row, part_3_apart_tmp);
        set_flag(PIPE_V, PIPE_MTE3, event_t(i4_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(i4_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i4_buffer));
        YPaddedGm y_padded_out(y_padded + int64_t(i4) * 58 + 57, {i4_valid});
        TSTORE(y_padded_out, part_3_apart);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i4_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void conv2d_vec2(
    __gm__ bfloat16_t *y_padded, __gm__ bfloat16_t *y_edge, __gm__ bfloat16_t *x, int32_t n, int32_t nblk)
{
    run_block(y_padded, y_edge, x, n, nblk, static_cast<int32_t>(get_block_idx()));
}
