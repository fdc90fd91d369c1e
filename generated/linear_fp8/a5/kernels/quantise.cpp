// quantise: vector kernel of `linear_fp8` for a5. Made by pyptogen; change the spec, not this file.
// stages quantise; tiles t 2; memory UB 58464 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_8x2048 = Tile<TileType::Vec, bfloat16_t, 8, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using VecF32_8x2048 = Tile<TileType::Vec, float, 8, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_8x128 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecE4m3_8x2048 = Tile<TileType::Vec, float8_e4m3_t, 8, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 2048>, Stride<1, 1, 1, 2048, 1>>;
using XScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using XQGm = GlobalTensor<float8_e4m3_t, Shape<1, 1, 1, DYNAMIC, 2048>, Stride<1, 1, 1, 2048, 1>>;

AICORE inline void run_block(
    __gm__ float *x_scale,
    __gm__ float8_e4m3_t *x_q,
    __gm__ bfloat16_t *x,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 2; t0 < t_end; t0 += nblk * 2, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 2 ? t_end - t0 : 2;
        // x_f:     cast(x, fp32)
        VecB16_8x2048 x_tile(t0_valid); TASSIGN(x_tile, 0x00000 + t0_buffer * 0x02000);  // UB 0x00000..0x04000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        XGm x_in(x + int64_t(t0) * 2048, {t0_valid});
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_8x2048 x_f(t0_valid); TASSIGN<0x06040>(x_f);  // UB 0x06040..0x0a040
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TCVT(x_f, x_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        // x_scale: maximum(amax(abs(x_f), axis=-1, keepdim=true), 1.0e-12) / 448
        VecF32_8x2048 x_scale_1(t0_valid); TASSIGN<0x0a040>(x_scale_1);  // UB 0x0a040..0x0e040
        TABS(x_scale_1, x_f);
        VecF32_8x1 x_scale_2(t0_valid); TASSIGN<0x0e040>(x_scale_2);  // UB 0x0e040..0x0e060
        VecF32_8x128 x_scale_2_tmp(t0_valid); TASSIGN<0x0e060>(x_scale_2_tmp);  // UB 0x0e060..0x0e460
        TROWMAX(x_scale_2, x_scale_1, x_scale_2_tmp);
        VecF32_1x8 x_scale_3_row(t0_valid); TASSIGN<0x0a040>(x_scale_3_row);  // as a row, same bytes as x_scale_3
        VecF32_1x8 x_scale_2_row(t0_valid); TASSIGN<0x0e040>(x_scale_2_row);  // as a row, same bytes as x_scale_2
        TMAXS(x_scale_3_row, x_scale_2_row, 1e-12f);
        VecF32_1x8 x_scale_tile_row(t0_valid); TASSIGN(x_scale_tile_row, 0x04000 + t0_buffer * 0x00020);  // as a row, same bytes as x_scale_tile
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + t0_buffer));  // free again
        TDIVS(x_scale_tile_row, x_scale_3_row, 448.0f);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_buffer));
        // x_q:     cast(x_f / x_scale, fp8_e4m3)
        VecF32_8x2048 x_q_1(t0_valid); TASSIGN<0x06040>(x_q_1);  // UB 0x06040..0x0a040
        VecF32_8x1 x_scale_tile(t0_valid); TASSIGN(x_scale_tile, 0x04000 + t0_buffer * 0x00020);  // UB 0x04000..0x04040, 2 copies
        TROWEXPANDDIV(x_q_1, x_f, x_scale_tile);
        VecE4m3_8x2048 x_q_tile(t0_valid); TASSIGN(x_q_tile, 0x04040 + t0_buffer * 0x01000);  // UB 0x04040..0x06040, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCVT(x_q_tile, x_q_1, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_buffer));
        // x_scale: maximum(amax(abs(x_f), axis=-1, keepdim=true), 1.0e-12) / 448
        XScaleGm x_scale_out(x_scale + int64_t(t0), {t0_valid});
        TSTORE(x_scale_out, x_scale_tile_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        // x_q:     cast(x_f / x_scale, fp8_e4m3)
        XQGm x_q_out(x_q + int64_t(t0) * 2048, {t0_valid});
        TSTORE(x_q_out, x_q_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void quantise(
    __gm__ float *x_scale, __gm__ float8_e4m3_t *x_q, __gm__ bfloat16_t *x, int32_t t_begin, int32_t t_end,
    int32_t nblk)
{
    run_block(x_scale, x_q, x, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
