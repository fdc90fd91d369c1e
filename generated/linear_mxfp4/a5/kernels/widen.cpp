// widen: vector kernel of `linear_mxfp4` for a5. Made by pyptogen; change the spec, not this file.
// stages widen; tiles n 8; memory UB 229376 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecU8_8x1024 = Tile<TileType::Vec, uint8_t, 8, 1024, BLayout::RowMajor, 8, 1024>;
using VecE2m1_8x2048 = Tile<TileType::Vec, float4_e2m1x2_t, 8, 2048, BLayout::RowMajor, 8, 2048>;
using VecB16_8x2048 = Tile<TileType::Vec, bfloat16_t, 8, 2048, BLayout::RowMajor, 8, 2048>;
using VecF32_8x2048 = Tile<TileType::Vec, float, 8, 2048, BLayout::RowMajor, 8, 2048>;
using VecE4m3_8x2048 = Tile<TileType::Vec, float8_e4m3_t, 8, 2048, BLayout::RowMajor, 8, 2048>;
using WGm = GlobalTensor<uint8_t, Shape<1, 1, 1, 8, 1024>, Stride<1, 1, 1, 1024, 1>>;
using WWideGm = GlobalTensor<float8_e4m3_t, Shape<1, 1, 1, 8, 2048>, Stride<1, 1, 1, 2048, 1>>;

AICORE inline void run_block(
    __gm__ float8_e4m3_t *w_wide,
    __gm__ uint8_t *w,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    int32_t n0_buffer = 0;  // which of 4 buffers this iteration of n0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    for (int32_t n0 = block * 8; n0 < 1024; n0 += nblk * 8, n0_buffer = (n0_buffer + 1) % 4) {
        // w_wide: cast(w, fp8_e4m3)
        VecU8_8x1024 w_tile_bytes; TASSIGN(w_tile_bytes, 0x00000 + n0_buffer * 0x04000);  // same bytes as w_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(n0_buffer));  // free again
        WGm w_in(w + int64_t(n0) * 1024);
        TLOAD(w_tile_bytes, w_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(n0_buffer));
        VecE2m1_8x2048 w_tile; TASSIGN(w_tile, 0x00000 + n0_buffer * 0x04000);  // UB 0x00000..0x10000, 4 copies
        VecB16_8x2048 w_wide_brain; TASSIGN<0x20000>(w_wide_brain);  // UB 0x20000..0x28000
        wait_flag(PIPE_MTE2, PIPE_V, event_t(n0_buffer));
        TCVT(w_wide_brain, w_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(n0_buffer));
        VecF32_8x2048 w_wide_fp32; TASSIGN<0x28000>(w_wide_fp32);  // UB 0x28000..0x38000
        TCVT(w_wide_fp32, w_wide_brain, RoundMode::CAST_RINT, SaturationMode::ON);
        VecE4m3_8x2048 w_wide_tile; TASSIGN(w_wide_tile, 0x10000 + n0_buffer * 0x04000);  // UB 0x10000..0x20000, 4 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(n0_buffer));  // free again
        TCVT(w_wide_tile, w_wide_fp32, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(n0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(n0_buffer));
        WWideGm w_wide_out(w_wide + int64_t(n0) * 2048);
        TSTORE(w_wide_out, w_wide_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(n0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void widen(__gm__ float8_e4m3_t *w_wide, __gm__ uint8_t *w, int32_t nblk)
{
    run_block(w_wide, w, nblk, static_cast<int32_t>(get_block_idx()));
}
