// rope_interleaved_vec2: vector kernel of `rope_interleaved` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rope_interleaved; tiles t 1; memory UB 28672 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x1024 = Tile<TileType::Vec, int32_t, 1, 1024, BLayout::RowMajor, 1, 1024>;
using VecF32_1x1024 = Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024>;
using VecB16_1x1024_c512 = Tile<TileType::Vec, bfloat16_t, 1, 1024, BLayout::RowMajor, 1, 512>;
using VecI16_1x1024 = Tile<TileType::Vec, int16_t, 1, 1024, BLayout::RowMajor, 1, 1024>;
using VecB16_1x1024 = Tile<TileType::Vec, bfloat16_t, 1, 1024, BLayout::RowMajor, 1, 1024>;
using YEvenGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 512>, Stride<1, 1, 1, 1, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 1024>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *y_even,
    __gm__ bfloat16_t *y_odd,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 4 buffers this iteration of t0 uses
    // y: rope(x, cos[:, None, :], sin[:, None, :], interleaved=true)
    VecI32_1x1024 counted; TASSIGN<0x04000>(counted);  // UB 0x04000..0x05000
    TCI<VecI32_1x1024, int32_t, 0>(counted, 0);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    VecF32_1x1024 at; TASSIGN<0x05000>(at);  // UB 0x05000..0x06000
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    TCVT(at, counted, RoundMode::CAST_RINT, SaturationMode::ON);
    VecF32_1x1024 quotient; TASSIGN<0x06000>(quotient);  // UB 0x06000..0x07000
    pipe_barrier(PIPE_V);
    TADDS(quotient, at, 0.5f);
    pipe_barrier(PIPE_V);
    TMULS(quotient, quotient, 0.5f);
    pipe_barrier(PIPE_V);
    TCVT(counted, quotient, RoundMode::CAST_FLOOR, SaturationMode::ON);
    pipe_barrier(PIPE_V);
    TCVT(quotient, counted, RoundMode::CAST_RINT, SaturationMode::ON);
    pipe_barrier(PIPE_V);
    TMULS(quotient, quotient, 1023.0f);
    TMULS(at, at, 512.0f);
    pipe_barrier(PIPE_V);
    TSUB(at, at, quotient);
    VecI32_1x1024 index; TASSIGN<0x06000>(index);  // UB 0x06000..0x07000
    pipe_barrier(PIPE_V);
    TCVT(index, at, RoundMode::CAST_RINT, SaturationMode::ON);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    for (int32_t t0 = block; t0 < t; t0 += nblk, t0_buffer = (t0_buffer + 1) % 4) {
        VecB16_1x1024_c512 y_even_tile; TASSIGN(y_even_tile, 0x00000 + t0_buffer * 0x00800);  // columns 0.. of y_runs
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        YEvenGm y_even_in(y_even + int64_t(t0) * 512);
        TLOAD(y_even_tile, y_even_in);
        VecB16_1x1024_c512 y_odd_tile; TASSIGN(y_odd_tile, 0x00400 + t0_buffer * 0x00800);  // columns 512.. of y_runs
        YEvenGm y_odd_in(y_odd + int64_t(t0) * 512);
        TLOAD(y_odd_tile, y_odd_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecI16_1x1024 y_interleaved_int16; TASSIGN(y_interleaved_int16, 0x02000 + t0_buffer * 0x00800);  // same bytes as y_interleaved
        VecI16_1x1024 y_runs_int16; TASSIGN(y_runs_int16, 0x00000 + t0_buffer * 0x00800);  // same bytes as y_runs
        VecI32_1x1024 y_interleaved_tmp; TASSIGN<0x05000>(y_interleaved_tmp);  // UB 0x05000..0x06000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TGATHER(y_interleaved_int16, y_runs_int16, index, y_interleaved_tmp);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecB16_1x1024 y_interleaved; TASSIGN(y_interleaved, 0x02000 + t0_buffer * 0x00800);  // UB 0x02000..0x04000, 4 copies
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        YGm y_out(y + int64_t(t0) * 1024);
        TSTORE(y_out, y_interleaved);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void rope_interleaved_vec2(
    __gm__ bfloat16_t *y, __gm__ bfloat16_t *y_even, __gm__ bfloat16_t *y_odd, int32_t t, int32_t nblk)
{
    run_block(y, y_even, y_odd, t, nblk, static_cast<int32_t>(get_block_idx()));
}
