// causal_conv1d_vec1: vector kernel of `causal_conv1d` for cpu. Made by pyptogen; change the spec, not this file.
// stages causal_conv1d; tiles c 64; memory UB 1152 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_64x1 = Tile<TileType::Vec, bfloat16_t, 64, 1, BLayout::ColMajor, 64, 1>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecB16_1x64 = Tile<TileType::Vec, bfloat16_t, 1, 64, BLayout::RowMajor, 1, 64>;
using WGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 1>, Stride<1, 1, 1, 4, 1>>;
using YTapWideGm = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 0, 1>>;
}  // namespace

extern "C" __global__ AICORE void causal_conv1d_vec1(
    __gm__ float *y_tap_wide,
    __gm__ float *y_tap_wide_2,
    __gm__ float *y_tap_wide_3,
    __gm__ float *y_tap_wide_4,
    __gm__ bfloat16_t *w,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t c0 = block * 64; c0 < 256; c0 += nblk * 64) {
        // y: cast(silu(conv(seen, w, groups=c, bias=bias, dtype=fp32)), bf16)
        VecB16_64x1 w_tile; TASSIGN(w_tile, 0x00000);  // UB 0x00000..0x00080
        WGm w_in(w + int64_t(c0) * 4);
        TLOAD(w_tile, w_in);
        VecF32_1x64 y_tap_wide_tile_row; TASSIGN(y_tap_wide_tile_row, 0x00080);  // as a row, same bytes as y_tap_wide_tile
        VecB16_1x64 w_tile_row; TASSIGN(w_tile_row, 0x00000);  // as a row, same bytes as w_tile
        TCVT(y_tap_wide_tile_row, w_tile_row, RoundMode::CAST_RINT);
        VecB16_64x1 w_tile_2; TASSIGN(w_tile_2, 0x00000);  // UB 0x00000..0x00080
        WGm w_in_2(w + int64_t(c0) * 4 + 1);
        TLOAD(w_tile_2, w_in_2);
        VecF32_1x64 y_tap_wide_2_tile_row; TASSIGN(y_tap_wide_2_tile_row, 0x00180);  // as a row, same bytes as y_tap_wide_2_tile
        VecB16_1x64 w_tile_2_row; TASSIGN(w_tile_2_row, 0x00000);  // as a row, same bytes as w_tile_2
        TCVT(y_tap_wide_2_tile_row, w_tile_2_row, RoundMode::CAST_RINT);
        VecB16_64x1 w_tile_3; TASSIGN(w_tile_3, 0x00000);  // UB 0x00000..0x00080
        WGm w_in_3(w + int64_t(c0) * 4 + 2);
        TLOAD(w_tile_3, w_in_3);
        VecF32_1x64 y_tap_wide_3_tile_row; TASSIGN(y_tap_wide_3_tile_row, 0x00280);  // as a row, same bytes as y_tap_wide_3_tile
        VecB16_1x64 w_tile_3_row; TASSIGN(w_tile_3_row, 0x00000);  // as a row, same bytes as w_tile_3
        TCVT(y_tap_wide_3_tile_row, w_tile_3_row, RoundMode::CAST_RINT);
        VecB16_64x1 w_tile_4; TASSIGN(w_tile_4, 0x00000);  // UB 0x00000..0x00080
        WGm w_in_4(w + int64_t(c0) * 4 + 3);
        TLOAD(w_tile_4, w_in_4);
        VecF32_1x64 y_tap_wide_4_tile_row; TASSIGN(y_tap_wide_4_tile_row, 0x00380);  // as a row, same bytes as y_tap_wide_4_tile
        VecB16_1x64 w_tile_4_row; TASSIGN(w_tile_4_row, 0x00000);  // as a row, same bytes as w_tile_4
        TCVT(y_tap_wide_4_tile_row, w_tile_4_row, RoundMode::CAST_RINT);
        YTapWideGm y_tap_wide_out(y_tap_wide + int64_t(c0));
        TSTORE(y_tap_wide_out, y_tap_wide_tile_row);
        YTapWideGm y_tap_wide_2_out(y_tap_wide_2 + int64_t(c0));
        TSTORE(y_tap_wide_2_out, y_tap_wide_2_tile_row);
        YTapWideGm y_tap_wide_3_out(y_tap_wide_3 + int64_t(c0));
        TSTORE(y_tap_wide_3_out, y_tap_wide_3_tile_row);
        YTapWideGm y_tap_wide_4_out(y_tap_wide_4 + int64_t(c0));
        TSTORE(y_tap_wide_4_out, y_tap_wide_4_tile_row);
    }
#endif
}
