// quantise_vec2: vector kernel of `linear_mxfp4` for a5. Made by pyptogen; change the spec, not this file.
// stages quantise; tiles t 8; memory UB 163840 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecU8_8x1024 = Tile<TileType::Vec, uint8_t, 8, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using VecE2m1_8x2048 = Tile<TileType::Vec, float4_e2m1x2_t, 8, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using VecB16_8x2048 = Tile<TileType::Vec, bfloat16_t, 8, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using VecF32_8x2048 = Tile<TileType::Vec, float, 8, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using VecE4m3_8x2048 = Tile<TileType::Vec, float8_e4m3_t, 8, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using XQGm = GlobalTensor<uint8_t, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 1024, 1>>;
using XWideGm = GlobalTensor<float8_e4m3_t, Shape<1, 1, 1, DYNAMIC, 2048>, Stride<1, 1, 1, 2048, 1>>;

AICORE inline void run_block(
    __gm__ float8_e4m3_t *x_wide,
    __gm__ uint8_t *x_q,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 8; t0 < t_end; t0 += nblk * 8, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 8 ? t_end - t0 : 8;
        // x_wide: cast(x_q, fp8_e4m3)
        VecU8_8x1024 x_q_tile_bytes(t0_valid); TASSIGN(x_q_tile_bytes, 0x00000 + t0_buffer * 0x04000);  // same bytes as x_q_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        XQGm x_q_in(x_q + int64_t(t0) * 1024, {t0_valid});
        TLOAD(x_q_tile_bytes, x_q_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecE2m1_8x2048 x_q_tile(t0_valid); TASSIGN(x_q_tile, 0x00000 + t0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        VecB16_8x2048 x_wide_brain(t0_valid); TASSIGN<0x10000>(x_wide_brain);  // UB 0x10000..0x18000
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TCVT(x_wide_brain, x_q_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecF32_8x2048 x_wide_fp32(t0_valid); TASSIGN<0x18000>(x_wide_fp32);  // UB 0x18000..0x28000
        TCVT(x_wide_fp32, x_wide_brain, RoundMode::CAST_RINT, SaturationMode::ON);
        VecE4m3_8x2048 x_wide_tile(t0_valid); TASSIGN(x_wide_tile, 0x08000 + t0_buffer * 0x04000);  // UB 0x08000..0x10000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCVT(x_wide_tile, x_wide_fp32, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        XWideGm x_wide_out(x_wide + int64_t(t0) * 2048, {t0_valid});
        TSTORE(x_wide_out, x_wide_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void quantise_vec2(
    __gm__ float8_e4m3_t *x_wide, __gm__ uint8_t *x_q, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(x_wide, x_q, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
