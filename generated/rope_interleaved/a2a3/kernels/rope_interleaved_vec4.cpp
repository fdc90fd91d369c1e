// rope_interleaved_vec4: vector kernel of `rope_interleaved` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rope_interleaved; tiles t 1; memory UB 12288 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_16x64 = Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64>;
using VecB16_16x64 = Tile<TileType::Vec, bfloat16_t, 16, 64, BLayout::RowMajor, 16, 64>;
using YRopedGm = GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>>;
}  // namespace

extern "C" __global__ AICORE void rope_interleaved_vec4(
    __gm__ bfloat16_t *y,
    __gm__ float *y_roped,
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
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk, t0_slot ^= 1) {
        // y: rope(x, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_interleaved.yaml:18]
        VecF32_16x64 y_roped_tile; TASSIGN(y_roped_tile, 0x00000 + t0_slot * 0x01000);  // UB 0x00000..0x02000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_slot));  // free again
        YRopedGm y_roped_in(y_roped + int64_t(t0) * 1024);
        TLOAD(y_roped_tile, y_roped_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_slot));
        VecB16_16x64 y_tile; TASSIGN(y_tile, 0x02000 + t0_slot * 0x00800);  // UB 0x02000..0x03000, 2 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_slot));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_slot));  // free again
        TCVT(y_tile, y_roped_tile, RoundMode::CAST_RINT);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_slot));
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_slot));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_slot));
        YGm y_out(y + int64_t(t0) * 1024);
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_slot));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round of copy 1
#endif
}
