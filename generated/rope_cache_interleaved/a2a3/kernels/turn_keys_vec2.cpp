// turn_keys_vec2: vector kernel of `rope_cache_interleaved` for a2a3. Made by pyptogen; change the spec, not this file.
// stages turn_keys; tiles t 1; memory UB 14336 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x512 = Tile<TileType::Vec, int32_t, 1, 512, BLayout::RowMajor, 1, 512>;
using VecF32_1x512 = Tile<TileType::Vec, float, 1, 512, BLayout::RowMajor, 1, 512>;
using VecB16_1x512_c256 = Tile<TileType::Vec, bfloat16_t, 1, 512, BLayout::RowMajor, 1, 256>;
using VecI16_1x512 = Tile<TileType::Vec, int16_t, 1, 512, BLayout::RowMajor, 1, 512>;
using VecB16_1x512 = Tile<TileType::Vec, bfloat16_t, 1, 512, BLayout::RowMajor, 1, 512>;
using KTurnedEvenGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 256>, Stride<1, 1, 1, 1, 1>>;
using KTurnedGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 512>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *k_turned,
    __gm__ bfloat16_t *k_turned_even,
    __gm__ bfloat16_t *k_turned_odd,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 4 buffers this iteration of t0 uses
    // k_turned: rope(k, cos[:, None, :], sin[:, None, :], interleaved=true)
    VecI32_1x512 counted; TASSIGN<0x02000>(counted);  // UB 0x02000..0x02800
    TCI<VecI32_1x512, int32_t, 0>(counted, 0);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    VecF32_1x512 at; TASSIGN<0x02800>(at);  // UB 0x02800..0x03000
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    TCVT(at, counted, RoundMode::CAST_RINT, SaturationMode::ON);
    VecF32_1x512 quotient; TASSIGN<0x03000>(quotient);  // UB 0x03000..0x03800
    pipe_barrier(PIPE_V);
    TADDS(quotient, at, 0.5f);
    pipe_barrier(PIPE_V);
    TMULS(quotient, quotient, 0.5f);
    pipe_barrier(PIPE_V);
    TCVT(counted, quotient, RoundMode::CAST_FLOOR, SaturationMode::ON);
    pipe_barrier(PIPE_V);
    TCVT(quotient, counted, RoundMode::CAST_RINT, SaturationMode::ON);
    pipe_barrier(PIPE_V);
    TMULS(quotient, quotient, 511.0f);
    TMULS(at, at, 256.0f);
    pipe_barrier(PIPE_V);
    TSUB(at, at, quotient);
    VecI32_1x512 index; TASSIGN<0x03000>(index);  // UB 0x03000..0x03800
    pipe_barrier(PIPE_V);
    TCVT(index, at, RoundMode::CAST_RINT, SaturationMode::ON);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    for (int32_t t0 = block; t0 < t; t0 += nblk, t0_buffer = (t0_buffer + 1) % 4) {
        VecB16_1x512_c256 k_turned_even_tile; TASSIGN(k_turned_even_tile, 0x00000 + t0_buffer * 0x00400);  // columns 0.. of k_turned_runs
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        KTurnedEvenGm k_turned_even_in(k_turned_even + int64_t(t0) * 256);
        TLOAD(k_turned_even_tile, k_turned_even_in);
        VecB16_1x512_c256 k_turned_odd_tile; TASSIGN(k_turned_odd_tile, 0x00200 + t0_buffer * 0x00400);  // columns 256.. of k_turned_runs
        KTurnedEvenGm k_turned_odd_in(k_turned_odd + int64_t(t0) * 256);
        TLOAD(k_turned_odd_tile, k_turned_odd_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecI16_1x512 k_turned_interleaved_int16; TASSIGN(k_turned_interleaved_int16, 0x01000 + t0_buffer * 0x00400);  // same bytes as k_turned_interleaved
        VecI16_1x512 k_turned_runs_int16; TASSIGN(k_turned_runs_int16, 0x00000 + t0_buffer * 0x00400);  // same bytes as k_turned_runs
        VecI32_1x512 k_turned_interleaved_tmp; TASSIGN<0x02800>(k_turned_interleaved_tmp);  // UB 0x02800..0x03000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TGATHER(k_turned_interleaved_int16, k_turned_runs_int16, index, k_turned_interleaved_tmp);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecB16_1x512 k_turned_interleaved; TASSIGN(k_turned_interleaved, 0x01000 + t0_buffer * 0x00400);  // UB 0x01000..0x02000, 4 copies
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        KTurnedGm k_turned_out(k_turned + int64_t(t0) * 512);
        TSTORE(k_turned_out, k_turned_interleaved);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void turn_keys_vec2(
    __gm__ bfloat16_t *k_turned, __gm__ bfloat16_t *k_turned_even, __gm__ bfloat16_t *k_turned_odd, int32_t t,
    int32_t nblk)
{
    run_block(k_turned, k_turned_even, k_turned_odd, t, nblk, static_cast<int32_t>(get_block_idx()));
}
