// conv2d_vec3: vector kernel of `conv2d` for a2a3. Made by pyptogen; change the spec, not this file.
// stages conv2d; tiles i2 211, i4 3, i6 211; memory UB 108032 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_211x64_c58 = Tile<TileType::Vec, bfloat16_t, 211, 64, BLayout::RowMajor, DYNAMIC, 58>;
using VecB16_3x3248 = Tile<TileType::Vec, bfloat16_t, 3, 3248, BLayout::RowMajor, DYNAMIC, 3248>;
using YEdge2Gm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 58>, Stride<1, 1, 1, 58, 1>>;
using YPadded2Gm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 58>, Stride<1, 1, 1, 3364, 1>>;
using YPaddedGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 3248>, Stride<1, 1, 1, 3248, 1>>;
using YPadded2Gm2 = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 3248>, Stride<1, 1, 1, 3364, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y_padded_2,
    __gm__ bfloat16_t *y_edge_2,
    __gm__ bfloat16_t *y_padded,
    int32_t n,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t i2_buffer = 0;  // which of 4 buffers this iteration of i2 uses
    int32_t i4_buffer = 0;  // which of 4 buffers this iteration of i4 uses
    int32_t i6_buffer = 0;  // which of 4 buffers this iteration of i6 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    for (int32_t i2 = block * 211; i2 < n * 64; i2 += nblk * 211, i2_buffer = (i2_buffer + 1) % 4) {
        const int32_t i2_valid = n * 64 - i2 < 211 ? n * 64 - i2 : 211;
        // y: cast(relu(conv(x, w, strides=2, paddings=1, bias=bias, dtype=fp32)), bf16)
        VecB16_211x64_c58 part(i2_valid); TASSIGN(part, 0x00000 + i2_buffer * 0x06980);  // UB 0x00000..0x1a600, 4 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(i2_buffer));  // free again
        YEdge2Gm y_edge_2_in(y_edge_2 + int64_t(i2) * 58, {i2_valid});
        TLOAD(part, y_edge_2_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(i2_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(i2_buffer));
        YPadded2Gm y_padded_2_out(y_padded_2 + int64_t(i2) * 3364, {i2_valid});
        TSTORE(y_padded_2_out, part);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(i2_buffer));
    }
    for (int32_t i4 = block * 3; i4 < n * 64; i4 += nblk * 3, i4_buffer = (i4_buffer + 1) % 4) {
        const int32_t i4_valid = n * 64 - i4 < 3 ? n * 64 - i4 : 3;
        VecB16_3x3248 part_2(i4_valid); TASSIGN(part_2, 0x00000 + i4_buffer * 0x04c20);  // UB 0x00000..0x13080, 4 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(i4_buffer));  // free again
        YPaddedGm y_padded_in(y_padded + int64_t(i4) * 3248, {i4_valid});
        TLOAD(part_2, y_padded_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(i4_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(i4_buffer));
        YPadded2Gm2 y_padded_2_out(y_padded_2 + int64_t(i4) * 3364 + 58, {i4_valid});
        TSTORE(y_padded_2_out, part_2);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(i4_buffer));
    }
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID4);
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID4);
    for (int32_t i6 = block * 211; i6 < n * 64; i6 += nblk * 211, i6_buffer = (i6_buffer + 1) % 4) {
        const int32_t i6_valid = n * 64 - i6 < 211 ? n * 64 - i6 : 211;
        VecB16_211x64_c58 part_3(i6_valid); TASSIGN(part_3, 0x00000 + i6_buffer * 0x06980);  // UB 0x00000..0x1a600, 4 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(i6_buffer));  // free again
        YEdge2Gm y_edge_2_in(y_edge_2 + int64_t(i6) * 58, {i6_valid});
        TLOAD(part_3, y_edge_2_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(i6_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(i6_buffer));
        YPadded2Gm y_padded_2_out(y_padded_2 + int64_t(i6) * 3364 + 3306, {i6_valid});
        TSTORE(y_padded_2_out, part_3);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(i6_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void conv2d_vec3(
    __gm__ bfloat16_t *y_padded_2, __gm__ bfloat16_t *y_edge_2, __gm__ bfloat16_t *y_padded, int32_t n,
    int32_t nblk)
{
    run_block(y_padded_2, y_edge_2, y_padded, n, nblk, static_cast<int32_t>(get_block_idx()));
}
