// conv2d_vec4: vector kernel of `conv2d` for cpu. Made by pyptogen; change the spec, not this file.
// stages conv2d; tiles i11 1, i12 1, i14 1, i15 1, i17 1, i18 1, i2 1, i20 1, i21 1, i23 1, i24 1, i26 1, i27 1, i3 1, i5 1, i6 1, i8 1, i9 1; memory UB 64 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_32x1_r28 = Tile<TileType::Vec, bfloat16_t, 32, 1, BLayout::ColMajor, 28, 1>;
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
    for (int32_t i2 = block; i2 < n * 64; i2 += nblk) {
        for (int32_t i3 = 0; i3 < 28; ++i3) {
            // y: relu(conv(x, w, strides=2, paddings=1, bias=bias))  [conv2d.yaml:20]
            VecB16_32x1_r28 part; TASSIGN(part, 0x00000);  // UB 0x00000..0x00040
            YPadded2Gm y_padded_2_in(y_padded_2 + int64_t(i2) * 3364 + int64_t(i3) * 116);
            TLOAD(part, y_padded_2_in);
            VecB16_1x32_c28 part_row; TASSIGN(part_row, 0x00000);  // as a row, same bytes as part
            YWindowsGm y_windows_out(y_windows + int64_t(i2) * 7056 + int64_t(i3) * 28);
            TSTORE(y_windows_out, part_row);
        }
    }
    for (int32_t i5 = block; i5 < n * 64; i5 += nblk) {
        for (int32_t i6 = 0; i6 < 28; ++i6) {
            VecB16_32x1_r28 part_2; TASSIGN(part_2, 0x00000);  // UB 0x00000..0x00040
            YPadded2Gm y_padded_2_in(y_padded_2 + int64_t(i5) * 3364 + int64_t(i6) * 116 + 1);
            TLOAD(part_2, y_padded_2_in);
            VecB16_1x32_c28 part_2_row; TASSIGN(part_2_row, 0x00000);  // as a row, same bytes as part_2
            YWindowsGm y_windows_out(y_windows + int64_t(i5) * 7056 + int64_t(i6) * 28 + 784);
            TSTORE(y_windows_out, part_2_row);
        }
    }
    for (int32_t i8 = block; i8 < n * 64; i8 += nblk) {
        for (int32_t i9 = 0; i9 < 28; ++i9) {
            VecB16_32x1_r28 part_3; TASSIGN(part_3, 0x00000);  // UB 0x00000..0x00040
            YPadded2Gm y_padded_2_in(y_padded_2 + int64_t(i8) * 3364 + int64_t(i9) * 116 + 2);
            TLOAD(part_3, y_padded_2_in);
            VecB16_1x32_c28 part_3_row; TASSIGN(part_3_row, 0x00000);  // as a row, same bytes as part_3
            YWindowsGm y_windows_out(y_windows + int64_t(i8) * 7056 + int64_t(i9) * 28 + 1568);
            TSTORE(y_windows_out, part_3_row);
        }
    }
    for (int32_t i11 = block; i11 < n * 64; i11 += nblk) {
        for (int32_t i12 = 0; i12 < 28; ++i12) {
            VecB16_32x1_r28 part_4; TASSIGN(part_4, 0x00000);  // UB 0x00000..0x00040
            YPadded2Gm y_padded_2_in(y_padded_2 + int64_t(i11) * 3364 + int64_t(i12) * 116 + 58);
            TLOAD(part_4, y_padded_2_in);
            VecB16_1x32_c28 part_4_row; TASSIGN(part_4_row, 0x00000);  // as a row, same bytes as part_4
            YWindowsGm y_windows_out(y_windows + int64_t(i11) * 7056 + int64_t(i12) * 28 + 2352);
            TSTORE(y_windows_out, part_4_row);
        }
    }
    for (int32_t i14 = block; i14 < n * 64; i14 += nblk) {
        for (int32_t i15 = 0; i15 < 28; ++i15) {
            VecB16_32x1_r28 part_5; TASSIGN(part_5, 0x00000);  // UB 0x00000..0x00040
            YPadded2Gm y_padded_2_in(y_padded_2 + int64_t(i14) * 3364 + int64_t(i15) * 116 + 59);
            TLOAD(part_5, y_padded_2_in);
            VecB16_1x32_c28 part_5_row; TASSIGN(part_5_row, 0x00000);  // as a row, same bytes as part_5
            YWindowsGm y_windows_out(y_windows + int64_t(i14) * 7056 + int64_t(i15) * 28 + 3136);
            TSTORE(y_windows_out, part_5_row);
        }
    }
    for (int32_t i17 = block; i17 < n * 64; i17 += nblk) {
        for (int32_t i18 = 0; i18 < 28; ++i18) {
            VecB16_32x1_r28 part_6; TASSIGN(part_6, 0x00000);  // UB 0x00000..0x00040
            YPadded2Gm y_padded_2_in(y_padded_2 + int64_t(i17) * 3364 + int64_t(i18) * 116 + 60);
            TLOAD(part_6, y_padded_2_in);
            VecB16_1x32_c28 part_6_row; TASSIGN(part_6_row, 0x00000);  // as a row, same bytes as part_6
            YWindowsGm y_windows_out(y_windows + int64_t(i17) * 7056 + int64_t(i18) * 28 + 3920);
            TSTORE(y_windows_out, part_6_row);
        }
    }
    for (int32_t i20 = block; i20 < n * 64; i20 += nblk) {
        for (int32_t i21 = 0; i21 < 28; ++i21) {
            VecB16_32x1_r28 part_7; TASSIGN(part_7, 0x00000);  // UB 0x00000..0x00040
            YPadded2Gm y_padded_2_in(y_padded_2 + int64_t(i20) * 3364 + int64_t(i21) * 116 + 116);
            TLOAD(part_7, y_padded_2_in);
            VecB16_1x32_c28 part_7_row; TASSIGN(part_7_row, 0x00000);  // as a row, same bytes as part_7
            YWindowsGm y_windows_out(y_windows + int64_t(i20) * 7056 + int64_t(i21) * 28 + 4704);
            TSTORE(y_windows_out, part_7_row);
        }
    }
    for (int32_t i23 = block; i23 < n * 64; i23 += nblk) {
        for (int32_t i24 = 0; i24 < 28; ++i24) {
            VecB16_32x1_r28 part_8; TASSIGN(part_8, 0x00000);  // UB 0x00000..0x00040
            YPadded2Gm y_padded_2_in(y_padded_2 + int64_t(i23) * 3364 + int64_t(i24) * 116 + 117);
            TLOAD(part_8, y_padded_2_in);
            VecB16_1x32_c28 part_8_row; TASSIGN(part_8_row, 0x00000);  // as a row, same bytes as part_8
            YWindowsGm y_windows_out(y_windows + int64_t(i23) * 7056 + int64_t(i24) * 28 + 5488);
            TSTORE(y_windows_out, part_8_row);
        }
    }
    for (int32_t i26 = block; i26 < n * 64; i26 += nblk) {
        for (int32_t i27 = 0; i27 < 28; ++i27) {
            VecB16_32x1_r28 part_9; TASSIGN(part_9, 0x00000);  // UB 0x00000..0x00040
            YPadded2Gm y_padded_2_in(y_padded_2 + int64_t(i26) * 3364 + int64_t(i27) * 116 + 118);
            TLOAD(part_9, y_padded_2_in);
            VecB16_1x32_c28 part_9_row; TASSIGN(part_9_row, 0x00000);  // as a row, same bytes as part_9
            YWindowsGm y_windows_out(y_windows + int64_t(i26) * 7056 + int64_t(i27) * 28 + 6272);
            TSTORE(y_windows_out, part_9_row);
        }
    }
#endif
}
