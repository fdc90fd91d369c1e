// rope_interleaved_vec1: vector kernel of `rope_interleaved` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rope_interleaved; tiles t 1; memory UB 13824 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_16x64 = Tile<TileType::Vec, bfloat16_t, 16, 64, BLayout::RowMajor, 16, 64>;
using VecB16_1x64 = Tile<TileType::Vec, bfloat16_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecF32_16x64 = Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 64, 1>>;
using YXGm = GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>>;
using YCosGm = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 64, 1>>;
}  // namespace

extern "C" __global__ AICORE void rope_interleaved_vec1(
    __gm__ float *y_x,
    __gm__ float *y_cos,
    __gm__ float *y_sin,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
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
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // copy 1 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID4);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // copy 1 is free
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk, t0_slot ^= 1) {
        // y: rope(x, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_interleaved.yaml:18]
        VecB16_16x64 x_tile; TASSIGN(x_tile, 0x00000 + t0_slot * 0x00800);  // UB 0x00000..0x01000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + t0_slot));  // free again
        XGm x_in(x + int64_t(t0) * 1024);
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_slot));
        VecB16_1x64 cos_tile; TASSIGN(cos_tile, 0x03000 + t0_slot * 0x00080);  // UB 0x03000..0x03100, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_slot));  // free again
        CosGm cos_in(cos + int64_t(t0) * 64);
        TLOAD(cos_tile, cos_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_slot));
        VecB16_1x64 sin_tile; TASSIGN(sin_tile, 0x03300 + t0_slot * 0x00080);  // UB 0x03300..0x03400, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_slot));  // free again
        CosGm sin_in(sin + int64_t(t0) * 64);
        TLOAD(sin_tile, sin_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_slot));
        VecF32_16x64 y_x_tile; TASSIGN(y_x_tile, 0x01000 + t0_slot * 0x01000);  // UB 0x01000..0x03000, 2 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_slot));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(4 + t0_slot));  // free again
        TCVT(y_x_tile, x_tile, RoundMode::CAST_RINT);
        set_flag(PIPE_V, PIPE_MTE3, event_t(4 + t0_slot));
        set_flag(PIPE_V, PIPE_MTE2, event_t(4 + t0_slot));
        VecF32_1x64 y_cos_tile; TASSIGN(y_cos_tile, 0x03100 + t0_slot * 0x00100);  // UB 0x03100..0x03300, 2 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_slot));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + t0_slot));  // free again
        TCVT(y_cos_tile, cos_tile, RoundMode::CAST_RINT);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_slot));
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_slot));
        VecF32_1x64 y_sin_tile; TASSIGN(y_sin_tile, 0x03400 + t0_slot * 0x00100);  // UB 0x03400..0x03600, 2 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_slot));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_slot));  // free again
        TCVT(y_sin_tile, sin_tile, RoundMode::CAST_RINT);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_slot));
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_slot));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(4 + t0_slot));
        YXGm y_x_out(y_x + int64_t(t0) * 1024);
        TSTORE(y_x_out, y_x_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(4 + t0_slot));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_slot));
        YCosGm y_cos_out(y_cos + int64_t(t0) * 64);
        TSTORE(y_cos_out, y_cos_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + t0_slot));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_slot));
        YCosGm y_sin_out(y_sin + int64_t(t0) * 64);
        TSTORE(y_sin_out, y_sin_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_slot));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // of the last round of copy 1
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID4);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // of the last round of copy 1
#endif
}
