// rope_interleaved_vec2: vector kernel of `rope_interleaved` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rope_interleaved; tiles t 1; memory UB 21504 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_16x32 = Tile<TileType::Vec, float, 16, 32, BLayout::RowMajor, 16, 32>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32>;
using YXGm = GlobalTensor<float, Shape<1, 1, 1, 16, 32>, Stride<1, 1, 1, 64, 2>, Layout::DN>;
using YCosGm = GlobalTensor<float, Shape<1, 1, 1, 1, 32>, Stride<1, 1, 1, 64, 2>, Layout::DN>;
using YLowGm = GlobalTensor<float, Shape<1, 1, 1, 16, 32>, Stride<1, 1, 1, 32, 1>>;
}  // namespace

extern "C" __global__ AICORE void rope_interleaved_vec2(
    __gm__ float *y_low,
    __gm__ float *y_high,
    __gm__ float *y_x,
    __gm__ float *y_cos,
    __gm__ float *y_sin,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t t0_slot = 0;  // which of 2 buffers this round of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // copy 1 is free
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk, t0_slot ^= 1) {
        // y: rope(x, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_interleaved.yaml:18]
        VecF32_16x32 y_x1; TASSIGN(y_x1, 0x00000 + t0_slot * 0x00800);  // UB 0x00000..0x01000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_slot));  // free again
        YXGm y_x_in(y_x + int64_t(t0) * 1024);
        TLOAD(y_x1, y_x_in);
        VecF32_1x32 y_cos1; TASSIGN(y_cos1, 0x01000 + t0_slot * 0x00080);  // UB 0x01000..0x01100, 2 copies
        YCosGm y_cos_in(y_cos + int64_t(t0) * 64);
        TLOAD(y_cos1, y_cos_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(6 + t0_slot));
        VecF32_16x32 y_x2; TASSIGN(y_x2, 0x01100 + t0_slot * 0x00800);  // UB 0x01100..0x02100, 2 copies
        YXGm y_x_in_2(y_x + int64_t(t0) * 1024 + 1);
        TLOAD(y_x2, y_x_in_2);
        VecF32_1x32 y_sin1; TASSIGN(y_sin1, 0x02100 + t0_slot * 0x00080);  // UB 0x02100..0x02200, 2 copies
        YCosGm y_sin_in(y_sin + int64_t(t0) * 64);
        TLOAD(y_sin1, y_sin_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_slot));
        VecF32_1x32 y_cos2; TASSIGN(y_cos2, 0x03200 + t0_slot * 0x00080);  // UB 0x03200..0x03300, 2 copies
        YCosGm y_cos_in_2(y_cos + int64_t(t0) * 64 + 1);
        TLOAD(y_cos2, y_cos_in_2);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_slot));
        VecF32_1x32 y_sin2; TASSIGN(y_sin2, 0x03300 + t0_slot * 0x00080);  // UB 0x03300..0x03400, 2 copies
        YCosGm y_sin_in_2(y_sin + int64_t(t0) * 64 + 1);
        TLOAD(y_sin2, y_sin_in_2);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_slot));
        VecF32_16x32 y_x1c1; TASSIGN(y_x1c1, 0x04400);  // UB 0x04400..0x04c00
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(6 + t0_slot));
        TCOLEXPANDMUL(y_x1c1, y_x1, y_cos1);
        VecF32_16x32 y_x2s1; TASSIGN(y_x2s1, 0x04c00);  // UB 0x04c00..0x05400
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_slot));
        TCOLEXPANDMUL(y_x2s1, y_x2, y_sin1);
        VecF32_16x32 y_low_tile; TASSIGN(y_low_tile, 0x02200 + t0_slot * 0x00800);  // UB 0x02200..0x03200, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + t0_slot));  // free again
        TSUB(y_low_tile, y_x1c1, y_x2s1);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_slot));
        VecF32_16x32 y_x2c2; TASSIGN(y_x2c2, 0x04400);  // UB 0x04400..0x04c00
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_slot));
        TCOLEXPANDMUL(y_x2c2, y_x2, y_cos2);
        VecF32_16x32 y_x1s2; TASSIGN(y_x1s2, 0x04c00);  // UB 0x04c00..0x05400
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_slot));
        TCOLEXPANDMUL(y_x1s2, y_x1, y_sin2);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_slot));
        VecF32_16x32 y_high_tile; TASSIGN(y_high_tile, 0x03400 + t0_slot * 0x00800);  // UB 0x03400..0x04400, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_slot));  // free again
        TADD(y_high_tile, y_x2c2, y_x1s2);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_slot));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_slot));
        YLowGm y_low_out(y_low + int64_t(t0) * 512);
        TSTORE(y_low_out, y_low_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + t0_slot));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_slot));
        YLowGm y_high_out(y_high + int64_t(t0) * 512);
        TSTORE(y_high_out, y_high_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_slot));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // of the last round of copy 1
#endif
}
