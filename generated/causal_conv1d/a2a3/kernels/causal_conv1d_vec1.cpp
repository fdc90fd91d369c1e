// causal_conv1d_vec1: vector kernel of `causal_conv1d` for a2a3. Made by pyptogen; change the spec, not this file.
// stages causal_conv1d; tiles c 8; memory UB 1440 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_16x16_c1_r8 = Tile<TileType::Vec, bfloat16_t, 16, 16, BLayout::RowMajor, 8, 1>;
using VecB16_1x16_c8 = Tile<TileType::Vec, bfloat16_t, 1, 16, BLayout::RowMajor, 1, 8>;
using VecF32_1x16_c8 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 8>;
using WGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 8, 1>, Stride<1, 1, 1, 4, 1>>;
using YTapWideGm = GlobalTensor<float, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ float *y_tap_wide,
    __gm__ float *y_tap_wide_2,
    __gm__ float *y_tap_wide_3,
    __gm__ float *y_tap_wide_4,
    __gm__ bfloat16_t *w,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // free at first
    for (int32_t c0 = block * 8; c0 < 256; c0 += nblk * 8) {
        // y: cast(silu(conv(seen, w, groups=c, bias=bias, dtype=fp32)), bf16)
        VecB16_16x16_c1_r8 w_tile_apart; TASSIGN<0x00080>(w_tile_apart);  // UB 0x00080..0x00180
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // free again
        WGm w_in(w + int64_t(c0) * 4);
        TLOAD(w_tile_apart, w_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
        VecB16_16x16_c1_r8 w_tile_2_apart; TASSIGN<0x00180>(w_tile_2_apart);  // UB 0x00180..0x00280
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free again
        WGm w_in_2(w + int64_t(c0) * 4 + 1);
        TLOAD(w_tile_2_apart, w_in_2);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
        VecB16_16x16_c1_r8 w_tile_3_apart; TASSIGN<0x00280>(w_tile_3_apart);  // UB 0x00280..0x00380
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free again
        WGm w_in_3(w + int64_t(c0) * 4 + 2);
        TLOAD(w_tile_3_apart, w_in_3);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
        VecB16_16x16_c1_r8 w_tile_4_apart; TASSIGN<0x00380>(w_tile_4_apart);  // UB 0x00380..0x00480
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free again
        WGm w_in_4(w + int64_t(c0) * 4 + 3);
        TLOAD(w_tile_4_apart, w_in_4);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        VecB16_1x16_c8 w_tile_row; TASSIGN<0x00480>(w_tile_row);  // as a row, same bytes as w_tile
        VecB16_16x16_c1_r8 w_tile_apart_tmp; TASSIGN<0x004a0>(w_tile_apart_tmp);  // UB 0x004a0..0x005a0
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
        TTRANS(w_tile_row, w_tile_apart, w_tile_apart_tmp);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);
        VecF32_1x16_c8 y_tap_wide_tile_row; TASSIGN<0x00000>(y_tap_wide_tile_row);  // as a row, same bytes as y_tap_wide_tile
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // free again
        TCVT(y_tap_wide_tile_row, w_tile_row, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID3);
        VecB16_1x16_c8 w_tile_2_row; TASSIGN<0x00480>(w_tile_2_row);  // as a row, same bytes as w_tile_2
        VecB16_16x16_c1_r8 w_tile_2_apart_tmp; TASSIGN<0x004a0>(w_tile_2_apart_tmp);  // UB 0x004a0..0x005a0
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
        TTRANS(w_tile_2_row, w_tile_2_apart, w_tile_2_apart_tmp);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);
        VecF32_1x16_c8 y_tap_wide_2_tile_row; TASSIGN<0x00020>(y_tap_wide_2_tile_row);  // as a row, same bytes as y_tap_wide_2_tile
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // free again
        TCVT(y_tap_wide_2_tile_row, w_tile_2_row, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
        VecB16_1x16_c8 w_tile_3_row; TASSIGN<0x00480>(w_tile_3_row);  // as a row, same bytes as w_tile_3
        VecB16_16x16_c1_r8 w_tile_3_apart_tmp; TASSIGN<0x004a0>(w_tile_3_apart_tmp);  // UB 0x004a0..0x005a0
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
        TTRANS(w_tile_3_row, w_tile_3_apart, w_tile_3_apart_tmp);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
        VecF32_1x16_c8 y_tap_wide_3_tile_row; TASSIGN<0x00040>(y_tap_wide_3_tile_row);  // as a row, same bytes as y_tap_wide_3_tile
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free again
        TCVT(y_tap_wide_3_tile_row, w_tile_3_row, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
        VecB16_1x16_c8 w_tile_4_row; TASSIGN<0x00480>(w_tile_4_row);  // as a row, same bytes as w_tile_4
        VecB16_16x16_c1_r8 w_tile_4_apart_tmp; TASSIGN<0x004a0>(w_tile_4_apart_tmp);  // UB 0x004a0..0x005a0
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        TTRANS(w_tile_4_row, w_tile_4_apart, w_tile_4_apart_tmp);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        VecF32_1x16_c8 y_tap_wide_4_tile_row; TASSIGN<0x00060>(y_tap_wide_4_tile_row);  // as a row, same bytes as y_tap_wide_4_tile
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TCVT(y_tap_wide_4_tile_row, w_tile_4_row, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID3);
        YTapWideGm y_tap_wide_out(y_tap_wide + int64_t(c0));
        TSTORE(y_tap_wide_out, y_tap_wide_tile_row);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
        YTapWideGm y_tap_wide_2_out(y_tap_wide_2 + int64_t(c0));
        TSTORE(y_tap_wide_2_out, y_tap_wide_2_tile_row);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
        YTapWideGm y_tap_wide_3_out(y_tap_wide_3 + int64_t(c0));
        TSTORE(y_tap_wide_3_out, y_tap_wide_3_tile_row);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        YTapWideGm y_tap_wide_4_out(y_tap_wide_4 + int64_t(c0));
        TSTORE(y_tap_wide_4_out, y_tap_wide_4_tile_row);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void causal_conv1d_vec1(
    __gm__ float *y_tap_wide, __gm__ float *y_tap_wide_2, __gm__ float *y_tap_wide_3, __gm__ float *y_tap_wide_4,
    __gm__ bfloat16_t *w, int32_t nblk)
{
    run_block(y_tap_wide, y_tap_wide_2, y_tap_wide_3, y_tap_wide_4, w, nblk, static_cast<int32_t>(get_block_idx()));
}
