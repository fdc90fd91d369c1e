// rope_interleaved_vec1: vector kernel of `rope_interleaved` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rope_interleaved; tiles t 1; memory UB 17920 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_16x64 = Tile<TileType::Vec, bfloat16_t, 16, 64, BLayout::RowMajor, 16, 64>;
using VecB16_1x64 = Tile<TileType::Vec, bfloat16_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecB16_16x32 = Tile<TileType::Vec, bfloat16_t, 16, 32, BLayout::RowMajor, 16, 32>;
using VecF32_16x32 = Tile<TileType::Vec, float, 16, 32, BLayout::RowMajor, 16, 32>;
using VecB16_1x32 = Tile<TileType::Vec, bfloat16_t, 1, 32, BLayout::RowMajor, 1, 32>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 64, 1>>;
using YEvenGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 32>, Stride<1, 1, 1, 32, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y_even,
    __gm__ bfloat16_t *y_odd,
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
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk, t0_buffer ^= 1) {
        // y: rope(x, cos[:, None, :], sin[:, None, :], interleaved=true)
        VecB16_16x64 x_tile_between; TASSIGN(x_tile_between, 0x01000 + t0_buffer * 0x00800);  // UB 0x01000..0x02000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + t0_buffer));  // free again
        XGm x_in(x + int64_t(t0) * 1024);
        TLOAD(x_tile_between, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_buffer));
        VecB16_1x64 cos_tile_between; TASSIGN(cos_tile_between, 0x02000 + t0_buffer * 0x00080);  // UB 0x02000..0x02100, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_buffer));  // free again
        CosGm cos_in(cos + int64_t(t0) * 64);
        TLOAD(cos_tile_between, cos_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        VecB16_1x64 sin_tile_between; TASSIGN(sin_tile_between, 0x02100 + t0_buffer * 0x00080);  // UB 0x02100..0x02200, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        CosGm sin_in(sin + int64_t(t0) * 64);
        TLOAD(sin_tile_between, sin_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecB16_16x32 x_tile; TASSIGN<0x02200>(x_tile);  // UB 0x02200..0x02600
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_buffer));
        TGATHER<VecB16_16x32, VecB16_16x64, MaskPattern::P0101>(x_tile, x_tile_between);
        VecF32_16x32 y_x1; TASSIGN<0x02600>(y_x1);  // UB 0x02600..0x02e00
        pipe_barrier(PIPE_V);
        TCVT(y_x1, x_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecB16_16x32 x_tile_2; TASSIGN<0x02200>(x_tile_2);  // UB 0x02200..0x02600
        pipe_barrier(PIPE_V);
        TGATHER<VecB16_16x32, VecB16_16x64, MaskPattern::P1010>(x_tile_2, x_tile_between);
        set_flag(PIPE_V, PIPE_MTE2, event_t(4 + t0_buffer));
        VecF32_16x32 y_x2; TASSIGN<0x02e00>(y_x2);  // UB 0x02e00..0x03600
        pipe_barrier(PIPE_V);
        TCVT(y_x2, x_tile_2, RoundMode::CAST_RINT, SaturationMode::ON);
        VecB16_1x32 cos_tile; TASSIGN<0x02200>(cos_tile);  // UB 0x02200..0x02240
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        TGATHER<VecB16_1x32, VecB16_1x64, MaskPattern::P0101>(cos_tile, cos_tile_between);
        VecF32_1x32 y_cos1; TASSIGN<0x02240>(y_cos1);  // UB 0x02240..0x022c0
        pipe_barrier(PIPE_V);
        TCVT(y_cos1, cos_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecB16_1x32 cos_tile_2; TASSIGN<0x02200>(cos_tile_2);  // UB 0x02200..0x02240
        pipe_barrier(PIPE_V);
        TGATHER<VecB16_1x32, VecB16_1x64, MaskPattern::P1010>(cos_tile_2, cos_tile_between);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_buffer));
        VecF32_1x32 y_cos2; TASSIGN<0x022c0>(y_cos2);  // UB 0x022c0..0x02340
        pipe_barrier(PIPE_V);
        TCVT(y_cos2, cos_tile_2, RoundMode::CAST_RINT, SaturationMode::ON);
        VecB16_1x32 sin_tile; TASSIGN<0x02200>(sin_tile);  // UB 0x02200..0x02240
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TGATHER<VecB16_1x32, VecB16_1x64, MaskPattern::P0101>(sin_tile, sin_tile_between);
        VecF32_1x32 y_sin1; TASSIGN<0x02340>(y_sin1);  // UB 0x02340..0x023c0
        pipe_barrier(PIPE_V);
        TCVT(y_sin1, sin_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecB16_1x32 sin_tile_2; TASSIGN<0x02200>(sin_tile_2);  // UB 0x02200..0x02240
        pipe_barrier(PIPE_V);
        TGATHER<VecB16_1x32, VecB16_1x64, MaskPattern::P1010>(sin_tile_2, sin_tile_between);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecF32_1x32 y_sin2; TASSIGN<0x023c0>(y_sin2);  // UB 0x023c0..0x02440
        pipe_barrier(PIPE_V);
        TCVT(y_sin2, sin_tile_2, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_16x32 y_x1c1; TASSIGN<0x03600>(y_x1c1);  // UB 0x03600..0x03e00
        TCOLEXPANDMUL(y_x1c1, y_x1, y_cos1);
        VecF32_16x32 y_x2s1; TASSIGN<0x03e00>(y_x2s1);  // UB 0x03e00..0x04600
        TCOLEXPANDMUL(y_x2s1, y_x2, y_sin1);
        VecF32_16x32 y_low; TASSIGN<0x03600>(y_low);  // UB 0x03600..0x03e00
        pipe_barrier(PIPE_V);
        TSUB(y_low, y_x1c1, y_x2s1);
        VecF32_16x32 y_x2c2; TASSIGN<0x02e00>(y_x2c2);  // UB 0x02e00..0x03600
        TCOLEXPANDMUL(y_x2c2, y_x2, y_cos2);
        VecF32_16x32 y_x1s2; TASSIGN<0x02600>(y_x1s2);  // UB 0x02600..0x02e00
        TCOLEXPANDMUL(y_x1s2, y_x1, y_sin2);
        VecF32_16x32 y_high; TASSIGN<0x02600>(y_high);  // UB 0x02600..0x02e00
        pipe_barrier(PIPE_V);
        TADD(y_high, y_x2c2, y_x1s2);
        VecB16_16x32 y_even_tile; TASSIGN(y_even_tile, 0x00000 + t0_buffer * 0x00400);  // UB 0x00000..0x00800, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCVT(y_even_tile, y_low, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_buffer));
        VecB16_16x32 y_odd_tile; TASSIGN(y_odd_tile, 0x00800 + t0_buffer * 0x00400);  // UB 0x00800..0x01000, 2 copies
        pipe_barrier(PIPE_V);
        TCVT(y_odd_tile, y_high, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_buffer));
        YEvenGm y_even_out(y_even + int64_t(t0) * 512);
        TSTORE(y_even_out, y_even_tile);
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        YEvenGm y_odd_out(y_odd + int64_t(t0) * 512);
        TSTORE(y_odd_out, y_odd_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void rope_interleaved_vec1(
    __gm__ bfloat16_t *y_even, __gm__ bfloat16_t *y_odd, __gm__ bfloat16_t *x, __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(y_even, y_odd, x, cos, sin, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
