// scale: vector kernel of `glm_shared_expert` for a2a3. Made by pyptogen; change the spec, not this file.
// stages scale; tiles t 2; memory UB 184384 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x5120 = Tile<TileType::Vec, float, 1, 5120, BLayout::RowMajor, 1, 5120>;
using VecI32_8x5120 = Tile<TileType::Vec, int32_t, 8, 5120, BLayout::RowMajor, DYNAMIC, 5120>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x5120 = Tile<TileType::Vec, float, 8, 5120, BLayout::RowMajor, DYNAMIC, 5120>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecB16_8x5120 = Tile<TileType::Vec, bfloat16_t, 8, 5120, BLayout::RowMajor, DYNAMIC, 5120>;
using WDownScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, 5120>, Stride<1, 1, 1, 1, 1>>;
using DownIGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 5120>, Stride<1, 1, 1, 5120, 1>>;
using AScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 5120>, Stride<1, 1, 1, 5120, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y,
    __gm__ int32_t *down_i,
    __gm__ float *a_scale,
    __gm__ float *w_down_scale,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    // y: cast(cast(down_i, fp32) * a_scale * w_down_scale, bf16)
    VecF32_1x5120 w_down_scale_tile; TASSIGN<0x14040>(w_down_scale_tile);  // UB 0x14040..0x19040
    WDownScaleGm w_down_scale_in(w_down_scale);
    TLOAD(w_down_scale_tile, w_down_scale_in);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 2; t0 < t_end; t0 += nblk * 2, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 2 ? t_end - t0 : 2;
        VecI32_8x5120 down_i_tile(t0_valid); TASSIGN(down_i_tile, 0x00000 + t0_buffer * 0x0a000);  // UB 0x00000..0x14000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        DownIGm down_i_in(down_i + int64_t(t0) * 5120, {t0_valid});
        TLOAD(down_i_tile, down_i_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        VecF32_1x8 a_scale_tile_row(t0_valid); TASSIGN(a_scale_tile_row, 0x14000 + t0_buffer * 0x00020);  // as a row, same bytes as a_scale_tile
        AScaleGm a_scale_in(a_scale + int64_t(t0), {t0_valid});
        TLOAD(a_scale_tile_row, a_scale_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_8x5120 y_1(t0_valid); TASSIGN(y_1, 0x23040);  // UB 0x23040..0x2d040
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        TCVT(y_1, down_i_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_8x1 a_scale_tile(t0_valid); TASSIGN(a_scale_tile, 0x14000 + t0_buffer * 0x00020);  // UB 0x14000..0x14040, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TROWEXPANDMUL(y_1, y_1, a_scale_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        pipe_barrier(PIPE_V);
        TCOLEXPANDMUL(y_1, y_1, w_down_scale_tile);
        VecB16_8x5120 y_tile(t0_valid); TASSIGN(y_tile, 0x19040 + t0_buffer * 0x05000);  // UB 0x19040..0x23040, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCVT(y_tile, y_1, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        YGm y_out(y + int64_t(t0) * 5120, {t0_valid});
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void scale(
    __gm__ bfloat16_t *y, __gm__ int32_t *down_i, __gm__ float *a_scale, __gm__ float *w_down_scale,
    int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(y, down_i, a_scale, w_down_scale, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
