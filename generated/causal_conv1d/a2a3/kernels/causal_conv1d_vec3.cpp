// causal_conv1d_vec3: vector kernel of `causal_conv1d` for a2a3. Made by pyptogen; change the spec, not this file.
// stages causal_conv1d; tiles b 1, c 16, y_1_cols 256; memory UB 115328 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_16x256 = Tile<TileType::Vec, bfloat16_t, 16, 256, BLayout::RowMajor, 16, DYNAMIC>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16>;
using VecF32_16x256 = Tile<TileType::Vec, float, 16, 256, BLayout::RowMajor, 16, DYNAMIC>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1>;
using SeenGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using YTapWideGm = GlobalTensor<float, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *seen,
    __gm__ float *y_tap_wide,
    __gm__ float *y_tap_wide_2,
    __gm__ float *y_tap_wide_3,
    __gm__ float *y_tap_wide_4,
    __gm__ float *bias,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t c0_buffer = 0;  // which of 2 buffers this iteration of c0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID6); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);  // 2 buffers are free at first
    const int32_t y_1_cols0_tiles = (s + 255) / 256;
    const int32_t tiles = (b_end - b_begin) * y_1_cols0_tiles * 16;  // of b0, y_1_cols0 and c0
    for (int32_t tile = block; tile < tiles; tile += nblk, c0_buffer ^= 1) {
        const int32_t b0 = b_begin + tile / (y_1_cols0_tiles * 16);
        const int32_t y_1_cols0 = tile / 16 % y_1_cols0_tiles * 256;
        const int32_t y_1_cols0_valid = s - y_1_cols0 < 256 ? s - y_1_cols0 : 256;
        const int32_t c0 = tile % 16 * 16;
        // y: cast(silu(conv(seen, w, groups=c, bias=bias, dtype=fp32)), bf16)
        VecB16_16x256 seen_tile(y_1_cols0_valid); TASSIGN(seen_tile, 0x00000 + c0_buffer * 0x02000);  // UB 0x00000..0x04000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(6 + c0_buffer));  // free again
        SeenGm seen_in(seen + int64_t(b0) * 768 + int64_t(b0) * s * 256 + int64_t(c0) * 3 + int64_t(c0) * s + int64_t(y_1_cols0), {y_1_cols0_valid}, {int64_t(s) + 3});
        TLOAD(seen_tile, seen_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(6 + c0_buffer));
        VecF32_1x16 y_tap_wide_tile_row; TASSIGN(y_tap_wide_tile_row, 0x04000 + c0_buffer * 0x00040);  // as a row, same bytes as y_tap_wide_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + c0_buffer));  // free again
        YTapWideGm y_tap_wide_in(y_tap_wide + int64_t(c0));
        TLOAD(y_tap_wide_tile_row, y_tap_wide_in);
        VecB16_16x256 seen_tile_2(y_1_cols0_valid); TASSIGN(seen_tile_2, 0x04080 + c0_buffer * 0x02000);  // UB 0x04080..0x08080, 2 copies
        SeenGm seen_in_2(seen + int64_t(b0) * 768 + int64_t(b0) * s * 256 + int64_t(c0) * 3 + int64_t(c0) * s + int64_t(y_1_cols0) + 1, {y_1_cols0_valid}, {int64_t(s) + 3});
        TLOAD(seen_tile_2, seen_in_2);
        VecF32_1x16 y_tap_wide_2_tile_row; TASSIGN(y_tap_wide_2_tile_row, 0x08080 + c0_buffer * 0x00040);  // as a row, same bytes as y_tap_wide_2_tile
        YTapWideGm y_tap_wide_2_in(y_tap_wide_2 + int64_t(c0));
        TLOAD(y_tap_wide_2_tile_row, y_tap_wide_2_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + c0_buffer));
        VecB16_16x256 seen_tile_3(y_1_cols0_valid); TASSIGN(seen_tile_3, 0x08100 + c0_buffer * 0x02000);  // UB 0x08100..0x0c100, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + c0_buffer));  // free again
        SeenGm seen_in_3(seen + int64_t(b0) * 768 + int64_t(b0) * s * 256 + int64_t(c0) * 3 + int64_t(c0) * s + int64_t(y_1_cols0) + 2, {y_1_cols0_valid}, {int64_t(s) + 3});
        TLOAD(seen_tile_3, seen_in_3);
        VecF32_1x16 y_tap_wide_3_tile_row; TASSIGN(y_tap_wide_3_tile_row, 0x0c100 + c0_buffer * 0x00040);  // as a row, same bytes as y_tap_wide_3_tile
        YTapWideGm y_tap_wide_3_in(y_tap_wide_3 + int64_t(c0));
        TLOAD(y_tap_wide_3_tile_row, y_tap_wide_3_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + c0_buffer));
        VecB16_16x256 seen_tile_4(y_1_cols0_valid); TASSIGN(seen_tile_4, 0x0c180 + c0_buffer * 0x02000);  // UB 0x0c180..0x10180, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(c0_buffer));  // free again
        SeenGm seen_in_4(seen + int64_t(b0) * 768 + int64_t(b0) * s * 256 + int64_t(c0) * 3 + int64_t(c0) * s + int64_t(y_1_cols0) + 3, {y_1_cols0_valid}, {int64_t(s) + 3});
        TLOAD(seen_tile_4, seen_in_4);
        VecF32_1x16 y_tap_wide_4_tile_row; TASSIGN(y_tap_wide_4_tile_row, 0x10180 + c0_buffer * 0x00040);  // as a row, same bytes as y_tap_wide_4_tile
        YTapWideGm y_tap_wide_4_in(y_tap_wide_4 + int64_t(c0));
        TLOAD(y_tap_wide_4_tile_row, y_tap_wide_4_in);
        VecF32_1x16 bias_tile_row; TASSIGN(bias_tile_row, 0x10200 + c0_buffer * 0x00040);  // as a row, same bytes as bias_tile
        YTapWideGm bias_in(bias + int64_t(c0));
        TLOAD(bias_tile_row, bias_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(c0_buffer));
        VecF32_16x256 y_window(y_1_cols0_valid); TASSIGN<0x14280>(y_window);  // UB 0x14280..0x18280
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(6 + c0_buffer));
        TCVT(y_window, seen_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(6 + c0_buffer));
        VecF32_16x256 y_part(y_1_cols0_valid); TASSIGN<0x14280>(y_part);  // UB 0x14280..0x18280
        VecF32_16x1 y_tap_wide_tile; TASSIGN(y_tap_wide_tile, 0x04000 + c0_buffer * 0x00040);  // UB 0x04000..0x04080, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + c0_buffer));
        TROWEXPANDMUL(y_part, y_window, y_tap_wide_tile);
        VecF32_16x256 y_window_2(y_1_cols0_valid); TASSIGN<0x18280>(y_window_2);  // UB 0x18280..0x1c280
        TCVT(y_window_2, seen_tile_2, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_16x256 y_part_2(y_1_cols0_valid); TASSIGN<0x18280>(y_part_2);  // UB 0x18280..0x1c280
        VecF32_16x1 y_tap_wide_2_tile; TASSIGN(y_tap_wide_2_tile, 0x08080 + c0_buffer * 0x00040);  // UB 0x08080..0x08100, 2 copies
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(y_part_2, y_window_2, y_tap_wide_2_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(4 + c0_buffer));
        VecF32_16x256 y_total(y_1_cols0_valid); TASSIGN<0x14280>(y_total);  // UB 0x14280..0x18280
        pipe_barrier(PIPE_V);
        TADD(y_total, y_part, y_part_2);
        VecF32_16x256 y_window_3(y_1_cols0_valid); TASSIGN<0x18280>(y_window_3);  // UB 0x18280..0x1c280
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + c0_buffer));
        TCVT(y_window_3, seen_tile_3, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_16x256 y_part_3(y_1_cols0_valid); TASSIGN<0x18280>(y_part_3);  // UB 0x18280..0x1c280
        VecF32_16x1 y_tap_wide_3_tile; TASSIGN(y_tap_wide_3_tile, 0x0c100 + c0_buffer * 0x00040);  // UB 0x0c100..0x0c180, 2 copies
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(y_part_3, y_window_3, y_tap_wide_3_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + c0_buffer));
        pipe_barrier(PIPE_V);
        TADD(y_total, y_total, y_part_3);
        VecF32_16x256 y_window_4(y_1_cols0_valid); TASSIGN<0x18280>(y_window_4);  // UB 0x18280..0x1c280
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(c0_buffer));
        TCVT(y_window_4, seen_tile_4, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_16x256 y_part_4(y_1_cols0_valid); TASSIGN<0x18280>(y_part_4);  // UB 0x18280..0x1c280
        VecF32_16x1 y_tap_wide_4_tile; TASSIGN(y_tap_wide_4_tile, 0x10180 + c0_buffer * 0x00040);  // UB 0x10180..0x10200, 2 copies
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(y_part_4, y_window_4, y_tap_wide_4_tile);
        pipe_barrier(PIPE_V);
        TADD(y_total, y_total, y_part_4);
        VecF32_16x256 y_biased(y_1_cols0_valid); TASSIGN<0x14280>(y_biased);  // UB 0x14280..0x18280
        VecF32_16x1 bias_tile; TASSIGN(bias_tile, 0x10200 + c0_buffer * 0x00040);  // UB 0x10200..0x10280, 2 copies
        pipe_barrier(PIPE_V);
        TROWEXPANDADD(y_biased, y_total, bias_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(c0_buffer));
        VecF32_16x256 y_neg(y_1_cols0_valid); TASSIGN<0x18280>(y_neg);  // UB 0x18280..0x1c280
        pipe_barrier(PIPE_V);
        TNEG(y_neg, y_biased);
        VecF32_16x256 y_e(y_1_cols0_valid); TASSIGN<0x18280>(y_e);  // UB 0x18280..0x1c280
        pipe_barrier(PIPE_V);
        TEXP(y_e, y_neg);
        VecF32_16x256 y_one_e(y_1_cols0_valid); TASSIGN<0x18280>(y_one_e);  // UB 0x18280..0x1c280
        pipe_barrier(PIPE_V);
        TADDS(y_one_e, y_e, 1.0f);
        VecF32_16x256 y_5(y_1_cols0_valid); TASSIGN<0x14280>(y_5);  // UB 0x14280..0x18280
        pipe_barrier(PIPE_V);
        TDIV(y_5, y_biased, y_one_e);
        VecB16_16x256 y_tile(y_1_cols0_valid); TASSIGN(y_tile, 0x10280 + c0_buffer * 0x02000);  // UB 0x10280..0x14280, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(c0_buffer));  // free again
        TCVT(y_tile, y_5, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(c0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(c0_buffer));
        SeenGm y_out(y + int64_t(b0) * s * 256 + int64_t(c0) * s + int64_t(y_1_cols0), {y_1_cols0_valid}, {int64_t(s)});
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(c0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID6); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void causal_conv1d_vec3(
    __gm__ bfloat16_t *y, __gm__ bfloat16_t *seen, __gm__ float *y_tap_wide, __gm__ float *y_tap_wide_2,
    __gm__ float *y_tap_wide_3, __gm__ float *y_tap_wide_4, __gm__ float *bias, int32_t b_begin, int32_t b_end,
    int32_t s, int32_t nblk)
{
    run_block(
        y, seen, y_tap_wide, y_tap_wide_2, y_tap_wide_3, y_tap_wide_4, bias, b_begin, b_end, s, nblk,
        static_cast<int32_t>(get_block_idx()));
}
