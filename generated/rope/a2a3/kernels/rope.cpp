// rope: vector kernel of `rope` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rope; tiles t 1; memory UB 100352 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_32x128 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, 32, 128>;
using VecB16_1x128 = Tile<TileType::Vec, bfloat16_t, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, 32, 128>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_32x128_c64 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, 32, 64>;
using VecF32_1x128_c64 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 64>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 32, 128>, Stride<1, 1, 1, 128, 1>>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk, t0_buffer ^= 1) {
        // y: rope(x, cos[:, None, :], sin[:, None, :])
        VecB16_32x128 x_tile; TASSIGN(x_tile, 0x00000 + t0_buffer * 0x02000);  // UB 0x00000..0x04000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_buffer));  // free again
        XGm x_in(x + int64_t(t0) * 4096);
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_buffer));
        VecB16_1x128 cos_tile; TASSIGN(cos_tile, 0x04000 + t0_buffer * 0x00100);  // UB 0x04000..0x04200, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        CosGm cos_in(cos + int64_t(t0) * 128);
        TLOAD(cos_tile, cos_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        VecB16_1x128 sin_tile; TASSIGN(sin_tile, 0x04200 + t0_buffer * 0x00100);  // UB 0x04200..0x04400, 2 copies
        CosGm sin_in(sin + int64_t(t0) * 128);
        TLOAD(sin_tile, sin_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_32x128 y_x; TASSIGN<0x08400>(y_x);  // UB 0x08400..0x0c400
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_buffer));
        TCVT(y_x, x_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_buffer));
        VecF32_1x128 y_cos; TASSIGN<0x0c400>(y_cos);  // UB 0x0c400..0x0c600
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        TCVT(y_cos, cos_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_1x128 y_sin; TASSIGN<0x0c600>(y_sin);  // UB 0x0c600..0x0c800
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TCVT(y_sin, sin_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecF32_32x128_c64 y_x1c1; TASSIGN<0x0c800>(y_x1c1);  // UB 0x0c800..0x10800
        VecF32_32x128_c64 y_x1; TASSIGN<0x08400>(y_x1);  // columns 0.. of y_x
        VecF32_1x128_c64 y_cos1; TASSIGN<0x0c400>(y_cos1);  // columns 0.. of y_cos
        pipe_barrier(PIPE_V);
        TCOLEXPANDMUL(y_x1c1, y_x1, y_cos1);
        VecF32_32x128_c64 y_x2s1; TASSIGN<0x10800>(y_x2s1);  // UB 0x10800..0x14800
        VecF32_32x128_c64 y_x2; TASSIGN<0x08500>(y_x2);  // columns 64.. of y_x
        VecF32_1x128_c64 y_sin1; TASSIGN<0x0c600>(y_sin1);  // columns 0.. of y_sin
        TCOLEXPANDMUL(y_x2s1, y_x2, y_sin1);
        VecF32_32x128_c64 y_low; TASSIGN<0x14800>(y_low);  // columns 0.. of y_roped
        pipe_barrier(PIPE_V);
        TSUB(y_low, y_x1c1, y_x2s1);
        VecF32_32x128_c64 y_x2c2; TASSIGN<0x0c800>(y_x2c2);  // UB 0x0c800..0x10800
        VecF32_1x128_c64 y_cos2; TASSIGN<0x0c500>(y_cos2);  // columns 64.. of y_cos
        pipe_barrier(PIPE_V);
        TCOLEXPANDMUL(y_x2c2, y_x2, y_cos2);
        VecF32_32x128_c64 y_x1s2; TASSIGN<0x08400>(y_x1s2);  // UB 0x08400..0x0c400
        VecF32_1x128_c64 y_sin2; TASSIGN<0x0c700>(y_sin2);  // columns 64.. of y_sin
        TCOLEXPANDMUL(y_x1s2, y_x1, y_sin2);
        VecF32_32x128_c64 y_high; TASSIGN<0x14900>(y_high);  // columns 64.. of y_roped
        pipe_barrier(PIPE_V);
        TADD(y_high, y_x2c2, y_x1s2);
        VecB16_32x128 y_tile; TASSIGN(y_tile, 0x04400 + t0_buffer * 0x02000);  // UB 0x04400..0x08400, 2 copies
        VecF32_32x128 y_roped; TASSIGN<0x14800>(y_roped);  // UB 0x14800..0x18800
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCVT(y_tile, y_roped, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        XGm y_out(y + int64_t(t0) * 4096);
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void rope(
    __gm__ bfloat16_t *y, __gm__ bfloat16_t *x, __gm__ bfloat16_t *cos, __gm__ bfloat16_t *sin, int32_t t_begin,
    int32_t t_end, int32_t nblk)
{
    run_block(y, x, cos, sin, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
