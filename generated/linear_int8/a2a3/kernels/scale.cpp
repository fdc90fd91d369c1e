// scale: vector kernel of `linear_int8` for a2a3. Made by pyptogen; change the spec, not this file.
// stages scale; tiles t 4; memory UB 147520 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x2048 = Tile<TileType::Vec, float, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecI32_8x2048 = Tile<TileType::Vec, int32_t, 8, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x2048 = Tile<TileType::Vec, float, 8, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecB16_8x2048 = Tile<TileType::Vec, bfloat16_t, 8, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using WScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, 2048>, Stride<1, 1, 1, 1, 1>>;
using PGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 2048>, Stride<1, 1, 1, 2048, 1>>;
using XScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 2048>, Stride<1, 1, 1, 2048, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y,
    __gm__ int32_t *p,
    __gm__ float *x_scale,
    __gm__ float *w_scale,
    __gm__ float *bias,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    // y: cast(cast(p, fp32) * x_scale * w_scale + bias, bf16)
    VecF32_1x2048 w_scale_tile; TASSIGN<0x10040>(w_scale_tile);  // UB 0x10040..0x12040
    WScaleGm w_scale_in(w_scale);
    TLOAD(w_scale_tile, w_scale_in);
    VecF32_1x2048 bias_tile; TASSIGN<0x12040>(bias_tile);  // UB 0x12040..0x14040
    WScaleGm bias_in(bias);
    TLOAD(bias_tile, bias_in);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 4; t0 < t_end; t0 += nblk * 4, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 4 ? t_end - t0 : 4;
        VecI32_8x2048 p_tile(t0_valid); TASSIGN(p_tile, 0x00000 + t0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        PGm p_in(p + int64_t(t0) * 2048, {t0_valid});
        TLOAD(p_tile, p_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        VecF32_1x8 x_scale_tile_row(t0_valid); TASSIGN(x_scale_tile_row, 0x10000 + t0_buffer * 0x00020);  // as a row, same bytes as x_scale_tile
        XScaleGm x_scale_in(x_scale + int64_t(t0), {t0_valid});
        TLOAD(x_scale_tile_row, x_scale_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_8x2048 y_1(t0_valid); TASSIGN<0x1c040>(y_1);  // UB 0x1c040..0x24040
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        TCVT(y_1, p_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_8x1 x_scale_tile(t0_valid); TASSIGN(x_scale_tile, 0x10000 + t0_buffer * 0x00020);  // UB 0x10000..0x10040, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TROWEXPANDMUL(y_1, y_1, x_scale_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        pipe_barrier(PIPE_V);
        TCOLEXPANDMUL(y_1, y_1, w_scale_tile);
        pipe_barrier(PIPE_V);
        TCOLEXPANDADD(y_1, y_1, bias_tile);
        VecB16_8x2048 y_tile(t0_valid); TASSIGN(y_tile, 0x14040 + t0_buffer * 0x04000);  // UB 0x14040..0x1c040, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCVT(y_tile, y_1, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        YGm y_out(y + int64_t(t0) * 2048, {t0_valid});
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void scale(
    __gm__ bfloat16_t *y, __gm__ int32_t *p, __gm__ float *x_scale, __gm__ float *w_scale, __gm__ float *bias,
    int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(y, p, x_scale, w_scale, bias, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
