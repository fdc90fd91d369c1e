// turn_queries_vec2: vector kernel of `rope_cache_interleaved` for a2a3. Made by pyptogen; change the spec, not this file.
// stages turn_queries; tiles t 1; memory UB 57344 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x2048 = Tile<TileType::Vec, int32_t, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecF32_1x2048 = Tile<TileType::Vec, float, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecB16_1x2048_c1024 = Tile<TileType::Vec, bfloat16_t, 1, 2048, BLayout::RowMajor, 1, 1024>;
using VecI16_1x2048 = Tile<TileType::Vec, int16_t, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecB16_1x2048 = Tile<TileType::Vec, bfloat16_t, 1, 2048, BLayout::RowMajor, 1, 2048>;
using QTurnedEvenGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 1024>, Stride<1, 1, 1, 1, 1>>;
using QTurnedGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 2048>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *q_turned,
    __gm__ bfloat16_t *q_turned_even,
    __gm__ bfloat16_t *q_turned_odd,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 4 buffers this iteration of t0 uses
    // q_turned: rope(q, cos[:, None, :], sin[:, None, :], interleaved=true)
    VecI32_1x2048 counted; TASSIGN<0x08000>(counted);  // UB 0x08000..0x0a000
    TCI<VecI32_1x2048, int32_t, 0>(counted, 0);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    VecF32_1x2048 at; TASSIGN<0x0a000>(at);  // UB 0x0a000..0x0c000
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    TCVT(at, counted, RoundMode::CAST_RINT, SaturationMode::ON);
    VecF32_1x2048 quotient; TASSIGN<0x0c000>(quotient);  // UB 0x0c000..0x0e000
    pipe_barrier(PIPE_V);
    TADDS(quotient, at, 0.5f);
    pipe_barrier(PIPE_V);
    TMULS(quotient, quotient, 0.5f);
    pipe_barrier(PIPE_V);
    TCVT(counted, quotient, RoundMode::CAST_FLOOR, SaturationMode::ON);
    pipe_barrier(PIPE_V);
    TCVT(quotient, counted, RoundMode::CAST_RINT, SaturationMode::ON);
    pipe_barrier(PIPE_V);
    TMULS(quotient, quotient, 2047.0f);
    TMULS(at, at, 1024.0f);
    pipe_barrier(PIPE_V);
    TSUB(at, at, quotient);
    VecI32_1x2048 index; TASSIGN<0x0c000>(index);  // UB 0x0c000..0x0e000
    pipe_barrier(PIPE_V);
    TCVT(index, at, RoundMode::CAST_RINT, SaturationMode::ON);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    for (int32_t t0 = block; t0 < t; t0 += nblk, t0_buffer = (t0_buffer + 1) % 4) {
        VecB16_1x2048_c1024 q_turned_even_tile; TASSIGN(q_turned_even_tile, 0x00000 + t0_buffer * 0x01000);  // columns 0.. of q_turned_runs
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        QTurnedEvenGm q_turned_even_in(q_turned_even + int64_t(t0) * 1024);
        TLOAD(q_turned_even_tile, q_turned_even_in);
        VecB16_1x2048_c1024 q_turned_odd_tile; TASSIGN(q_turned_odd_tile, 0x00800 + t0_buffer * 0x01000);  // columns 1024.. of q_turned_runs
        QTurnedEvenGm q_turned_odd_in(q_turned_odd + int64_t(t0) * 1024);
        TLOAD(q_turned_odd_tile, q_turned_odd_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecI16_1x2048 q_turned_interleaved_int16; TASSIGN(q_turned_interleaved_int16, 0x04000 + t0_buffer * 0x01000);  // same bytes as q_turned_interleaved
        VecI16_1x2048 q_turned_runs_int16; TASSIGN(q_turned_runs_int16, 0x00000 + t0_buffer * 0x01000);  // same bytes as q_turned_runs
        VecI32_1x2048 q_turned_interleaved_tmp; TASSIGN<0x0a000>(q_turned_interleaved_tmp);  // UB 0x0a000..0x0c000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TGATHER(q_turned_interleaved_int16, q_turned_runs_int16, index, q_turned_interleaved_tmp);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecB16_1x2048 q_turned_interleaved; TASSIGN(q_turned_interleaved, 0x04000 + t0_buffer * 0x01000);  // UB 0x04000..0x08000, 4 copies
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        QTurnedGm q_turned_out(q_turned + int64_t(t0) * 2048);
        TSTORE(q_turned_out, q_turned_interleaved);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void turn_queries_vec2(
    __gm__ bfloat16_t *q_turned, __gm__ bfloat16_t *q_turned_even, __gm__ bfloat16_t *q_turned_odd, int32_t t,
    int32_t nblk)
{
    run_block(q_turned, q_turned_even, q_turned_odd, t, nblk, static_cast<int32_t>(get_block_idx()));
}
