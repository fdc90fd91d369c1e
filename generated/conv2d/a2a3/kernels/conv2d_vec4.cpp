// conv2d_vec4: vector kernel of `conv2d` for a2a3. Made by pyptogen; change the spec, not this file.
// stages conv2d; tiles i11 1, i12 1, i14 1, i15 1, i17 1, i18 1, i2 1, i20 1, i21 1, i23 1, i24 1, i26 1, i27 1, i3 1, i5 1, i6 1, i8 1, i9 1; memory UB 18176 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_32x16_c1_r28 = Tile<TileType::Vec, bfloat16_t, 32, 16, BLayout::RowMajor, 28, 1>;
using VecB16_1x32_c28 = Tile<TileType::Vec, bfloat16_t, 1, 32, BLayout::RowMajor, 1, 28>;
using YPadded2Gm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 28, 1>, Stride<1, 1, 1, 2, 1>>;
using YWindowsGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 28>, Stride<1, 1, 1, 0, 1>>;
}  // namespace

extern "C" __global__ AICORE void conv2d_vec4(
    __gm__ bfloat16_t *y_windows,
    __gm__ bfloat16_t *y_padded_2,
    int32_t n,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t i3_slot = 0;  // which of 2 buffers this round of i3 uses
    int32_t i6_slot = 0;  // which of 2 buffers this round of i6 uses
    int32_t i9_slot = 0;  // which of 2 buffers this round of i9 uses
    int32_t i12_slot = 0;  // which of 2 buffers this round of i12 uses
    int32_t i15_slot = 0;  // which of 2 buffers this round of i15 uses
    int32_t i18_slot = 0;  // which of 2 buffers this round of i18 uses
    int32_t i21_slot = 0;  // which of 2 buffers this round of i21 uses
    int32_t i24_slot = 0;  // which of 2 buffers this round of i24 uses
    int32_t i27_slot = 0;  // which of 2 buffers this round of i27 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // copy 1 is free
    for (int32_t i2 = block; i2 < n * 64; i2 += nblk) {
        for (int32_t i3 = 0; i3 < 28; ++i3, i3_slot ^= 1) {
            // y: relu(conv(x, w, strides=2, paddings=1, bias=bias))  [conv2d.yaml:20]
            VecB16_32x16_c1_r28 part_apart; TASSIGN(part_apart, 0x00480 + i3_slot * 0x00380);  // UB 0x00480..0x00b80, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(i3_slot));  // free again
            YPadded2Gm y_padded_2_in(y_padded_2 + int64_t(i2) * 3364 + int64_t(i3) * 116);
            TLOAD(part_apart, y_padded_2_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(i3_slot));
            VecB16_1x32_c28 part_row; TASSIGN(part_row, 0x00000 + i3_slot * 0x00040);  // as a row, same bytes as part
            VecB16_32x16_c1_r28 part_apart_tmp; TASSIGN(part_apart_tmp, 0x04380);  // UB 0x04380..0x04700
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(i3_slot));
            wait_flag(PIPE_MTE3, PIPE_V, event_t(i3_slot));  // free again
            TTRANS(part_row, part_apart, part_apart_tmp);
            set_flag(PIPE_V, PIPE_MTE3, event_t(i3_slot));
            set_flag(PIPE_V, PIPE_MTE2, event_t(i3_slot));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(i3_slot));
            YWindowsGm y_windows_out(y_windows + int64_t(i2) * 7056 + int64_t(i3) * 28);
            TSTORE(y_windows_out, part_row);
            set_flag(PIPE_MTE3, PIPE_V, event_t(i3_slot));
        }
    }
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // copy 1 is free
    for (int32_t i5 = block; i5 < n * 64; i5 += nblk) {
        for (int32_t i6 = 0; i6 < 28; ++i6, i6_slot ^= 1) {
            VecB16_32x16_c1_r28 part_2_apart; TASSIGN(part_2_apart, 0x00b80 + i6_slot * 0x00380);  // UB 0x00b80..0x01280, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + i6_slot));  // free again
            YPadded2Gm y_padded_2_in(y_padded_2 + int64_t(i5) * 3364 + int64_t(i6) * 116 + 1);
            TLOAD(part_2_apart, y_padded_2_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(2 + i6_slot));
            VecB16_1x32_c28 part_2_row; TASSIGN(part_2_row, 0x00080 + i6_slot * 0x00040);  // as a row, same bytes as part_2
            VecB16_32x16_c1_r28 part_2_apart_tmp; TASSIGN(part_2_apart_tmp, 0x04380);  // UB 0x04380..0x04700
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + i6_slot));
            wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + i6_slot));  // free again
            TTRANS(part_2_row, part_2_apart, part_2_apart_tmp);
            set_flag(PIPE_V, PIPE_MTE3, event_t(2 + i6_slot));
            set_flag(PIPE_V, PIPE_MTE2, event_t(2 + i6_slot));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + i6_slot));
            YWindowsGm y_windows_out(y_windows + int64_t(i5) * 7056 + int64_t(i6) * 28 + 784);
            TSTORE(y_windows_out, part_2_row);
            set_flag(PIPE_MTE3, PIPE_V, event_t(2 + i6_slot));
        }
    }
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID4);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // copy 1 is free
    for (int32_t i8 = block; i8 < n * 64; i8 += nblk) {
        for (int32_t i9 = 0; i9 < 28; ++i9, i9_slot ^= 1) {
            VecB16_32x16_c1_r28 part_3_apart; TASSIGN(part_3_apart, 0x01280 + i9_slot * 0x00380);  // UB 0x01280..0x01980, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + i9_slot));  // free again
            YPadded2Gm y_padded_2_in(y_padded_2 + int64_t(i8) * 3364 + int64_t(i9) * 116 + 2);
            TLOAD(part_3_apart, y_padded_2_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(4 + i9_slot));
            VecB16_1x32_c28 part_3_row; TASSIGN(part_3_row, 0x00100 + i9_slot * 0x00040);  // as a row, same bytes as part_3
            VecB16_32x16_c1_r28 part_3_apart_tmp; TASSIGN(part_3_apart_tmp, 0x04380);  // UB 0x04380..0x04700
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + i9_slot));
            wait_flag(PIPE_MTE3, PIPE_V, event_t(4 + i9_slot));  // free again
            TTRANS(part_3_row, part_3_apart, part_3_apart_tmp);
            set_flag(PIPE_V, PIPE_MTE3, event_t(4 + i9_slot));
            set_flag(PIPE_V, PIPE_MTE2, event_t(4 + i9_slot));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(4 + i9_slot));
            YWindowsGm y_windows_out(y_windows + int64_t(i8) * 7056 + int64_t(i9) * 28 + 1568);
            TSTORE(y_windows_out, part_3_row);
            set_flag(PIPE_MTE3, PIPE_V, event_t(4 + i9_slot));
        }
    }
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID6);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID6);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID7);  // copy 1 is free
    for (int32_t i11 = block; i11 < n * 64; i11 += nblk) {
        for (int32_t i12 = 0; i12 < 28; ++i12, i12_slot ^= 1) {
            VecB16_32x16_c1_r28 part_4_apart; TASSIGN(part_4_apart, 0x01980 + i12_slot * 0x00380);  // UB 0x01980..0x02080, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(6 + i12_slot));  // free again
            YPadded2Gm y_padded_2_in(y_padded_2 + int64_t(i11) * 3364 + int64_t(i12) * 116 + 58);
            TLOAD(part_4_apart, y_padded_2_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(6 + i12_slot));
            VecB16_1x32_c28 part_4_row; TASSIGN(part_4_row, 0x00180 + i12_slot * 0x00040);  // as a row, same bytes as part_4
            VecB16_32x16_c1_r28 part_4_apart_tmp; TASSIGN(part_4_apart_tmp, 0x04380);  // UB 0x04380..0x04700
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(6 + i12_slot));
            wait_flag(PIPE_MTE3, PIPE_V, event_t(6 + i12_slot));  // free again
            TTRANS(part_4_row, part_4_apart, part_4_apart_tmp);
            set_flag(PIPE_V, PIPE_MTE3, event_t(6 + i12_slot));
            set_flag(PIPE_V, PIPE_MTE2, event_t(6 + i12_slot));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(6 + i12_slot));
            YWindowsGm y_windows_out(y_windows + int64_t(i11) * 7056 + int64_t(i12) * 28 + 2352);
            TSTORE(y_windows_out, part_4_row);
            set_flag(PIPE_MTE3, PIPE_V, event_t(6 + i12_slot));
        }
    }
    for (int32_t i14 = block; i14 < n * 64; i14 += nblk) {
        for (int32_t i15 = 0; i15 < 28; ++i15, i15_slot ^= 1) {
            VecB16_32x16_c1_r28 part_5_apart; TASSIGN(part_5_apart, 0x02080 + i15_slot * 0x00380);  // UB 0x02080..0x02780, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(i15_slot));  // free again
            YPadded2Gm y_padded_2_in(y_padded_2 + int64_t(i14) * 3364 + int64_t(i15) * 116 + 59);
            TLOAD(part_5_apart, y_padded_2_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(i15_slot));
            VecB16_1x32_c28 part_5_row; TASSIGN(part_5_row, 0x00200 + i15_slot * 0x00040);  // as a row, same bytes as part_5
            VecB16_32x16_c1_r28 part_5_apart_tmp; TASSIGN(part_5_apart_tmp, 0x04380);  // UB 0x04380..0x04700
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(i15_slot));
            wait_flag(PIPE_MTE3, PIPE_V, event_t(i15_slot));  // free again
            TTRANS(part_5_row, part_5_apart, part_5_apart_tmp);
            set_flag(PIPE_V, PIPE_MTE3, event_t(i15_slot));
            set_flag(PIPE_V, PIPE_MTE2, event_t(i15_slot));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(i15_slot));
            YWindowsGm y_windows_out(y_windows + int64_t(i14) * 7056 + int64_t(i15) * 28 + 3136);
            TSTORE(y_windows_out, part_5_row);
            set_flag(PIPE_MTE3, PIPE_V, event_t(i15_slot));
        }
    }
    for (int32_t i17 = block; i17 < n * 64; i17 += nblk) {
        for (int32_t i18 = 0; i18 < 28; ++i18, i18_slot ^= 1) {
            VecB16_32x16_c1_r28 part_6_apart; TASSIGN(part_6_apart, 0x02780 + i18_slot * 0x00380);  // UB 0x02780..0x02e80, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + i18_slot));  // free again
            YPadded2Gm y_padded_2_in(y_padded_2 + int64_t(i17) * 3364 + int64_t(i18) * 116 + 60);
            TLOAD(part_6_apart, y_padded_2_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(2 + i18_slot));
            VecB16_1x32_c28 part_6_row; TASSIGN(part_6_row, 0x00280 + i18_slot * 0x00040);  // as a row, same bytes as part_6
            VecB16_32x16_c1_r28 part_6_apart_tmp; TASSIGN(part_6_apart_tmp, 0x04380);  // UB 0x04380..0x04700
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + i18_slot));
            wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + i18_slot));  // free again
            TTRANS(part_6_row, part_6_apart, part_6_apart_tmp);
            set_flag(PIPE_V, PIPE_MTE3, event_t(2 + i18_slot));
            set_flag(PIPE_V, PIPE_MTE2, event_t(2 + i18_slot));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + i18_slot));
            YWindowsGm y_windows_out(y_windows + int64_t(i17) * 7056 + int64_t(i18) * 28 + 3920);
            TSTORE(y_windows_out, part_6_row);
            set_flag(PIPE_MTE3, PIPE_V, event_t(2 + i18_slot));
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // of the last round of copy 1
    for (int32_t i20 = block; i20 < n * 64; i20 += nblk) {
        for (int32_t i21 = 0; i21 < 28; ++i21, i21_slot ^= 1) {
            VecB16_32x16_c1_r28 part_7_apart; TASSIGN(part_7_apart, 0x02e80 + i21_slot * 0x00380);  // UB 0x02e80..0x03580, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + i21_slot));  // free again
            YPadded2Gm y_padded_2_in(y_padded_2 + int64_t(i20) * 3364 + int64_t(i21) * 116 + 116);
            TLOAD(part_7_apart, y_padded_2_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(4 + i21_slot));
            VecB16_1x32_c28 part_7_row; TASSIGN(part_7_row, 0x00300 + i21_slot * 0x00040);  // as a row, same bytes as part_7
            VecB16_32x16_c1_r28 part_7_apart_tmp; TASSIGN(part_7_apart_tmp, 0x04380);  // UB 0x04380..0x04700
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + i21_slot));
            wait_flag(PIPE_MTE3, PIPE_V, event_t(4 + i21_slot));  // free again
            TTRANS(part_7_row, part_7_apart, part_7_apart_tmp);
            set_flag(PIPE_V, PIPE_MTE3, event_t(4 + i21_slot));
            set_flag(PIPE_V, PIPE_MTE2, event_t(4 + i21_slot));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(4 + i21_slot));
            YWindowsGm y_windows_out(y_windows + int64_t(i20) * 7056 + int64_t(i21) * 28 + 4704);
            TSTORE(y_windows_out, part_7_row);
            set_flag(PIPE_MTE3, PIPE_V, event_t(4 + i21_slot));
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID4);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // of the last round of copy 1
    for (int32_t i23 = block; i23 < n * 64; i23 += nblk) {
        for (int32_t i24 = 0; i24 < 28; ++i24, i24_slot ^= 1) {
            VecB16_32x16_c1_r28 part_8_apart; TASSIGN(part_8_apart, 0x03580 + i24_slot * 0x00380);  // UB 0x03580..0x03c80, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(6 + i24_slot));  // free again
            YPadded2Gm y_padded_2_in(y_padded_2 + int64_t(i23) * 3364 + int64_t(i24) * 116 + 117);
            TLOAD(part_8_apart, y_padded_2_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(6 + i24_slot));
            VecB16_1x32_c28 part_8_row; TASSIGN(part_8_row, 0x00380 + i24_slot * 0x00040);  // as a row, same bytes as part_8
            VecB16_32x16_c1_r28 part_8_apart_tmp; TASSIGN(part_8_apart_tmp, 0x04380);  // UB 0x04380..0x04700
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(6 + i24_slot));
            wait_flag(PIPE_MTE3, PIPE_V, event_t(6 + i24_slot));  // free again
            TTRANS(part_8_row, part_8_apart, part_8_apart_tmp);
            set_flag(PIPE_V, PIPE_MTE3, event_t(6 + i24_slot));
            set_flag(PIPE_V, PIPE_MTE2, event_t(6 + i24_slot));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(6 + i24_slot));
            YWindowsGm y_windows_out(y_windows + int64_t(i23) * 7056 + int64_t(i24) * 28 + 5488);
            TSTORE(y_windows_out, part_8_row);
            set_flag(PIPE_MTE3, PIPE_V, event_t(6 + i24_slot));
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID6);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID6);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID7);  // of the last round of copy 1
    for (int32_t i26 = block; i26 < n * 64; i26 += nblk) {
        for (int32_t i27 = 0; i27 < 28; ++i27, i27_slot ^= 1) {
            VecB16_32x16_c1_r28 part_9_apart; TASSIGN(part_9_apart, 0x03c80 + i27_slot * 0x00380);  // UB 0x03c80..0x04380, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(i27_slot));  // free again
            YPadded2Gm y_padded_2_in(y_padded_2 + int64_t(i26) * 3364 + int64_t(i27) * 116 + 118);
            TLOAD(part_9_apart, y_padded_2_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(i27_slot));
            VecB16_1x32_c28 part_9_row; TASSIGN(part_9_row, 0x00400 + i27_slot * 0x00040);  // as a row, same bytes as part_9
            VecB16_32x16_c1_r28 part_9_apart_tmp; TASSIGN(part_9_apart_tmp, 0x04380);  // UB 0x04380..0x04700
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(i27_slot));
            wait_flag(PIPE_MTE3, PIPE_V, event_t(i27_slot));  // free again
            TTRANS(part_9_row, part_9_apart, part_9_apart_tmp);
            set_flag(PIPE_V, PIPE_MTE3, event_t(i27_slot));
            set_flag(PIPE_V, PIPE_MTE2, event_t(i27_slot));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(i27_slot));
            YWindowsGm y_windows_out(y_windows + int64_t(i26) * 7056 + int64_t(i27) * 28 + 6272);
            TSTORE(y_windows_out, part_9_row);
            set_flag(PIPE_MTE3, PIPE_V, event_t(i27_slot));
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round of copy 1
#endif
}
