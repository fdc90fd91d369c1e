// rank_vec3: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rank; tiles at 1, t 1; memory UB 16384 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_8x64 = Tile<TileType::Vec, int32_t, 8, 64, BLayout::RowMajor, 8, 64>;
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using ChosenGm = GlobalTensor<int32_t, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, 64, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *within,
    __gm__ int32_t *chosen,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 4 buffers this iteration of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    for (int32_t t0 = block; t0 < t; t0 += nblk, t0_buffer = (t0_buffer + 1) % 4) {
        // within: cumsum(chosen, axis=1)
        VecI32_8x64 chosen_tile; TASSIGN(chosen_tile, 0x00000 + t0_buffer * 0x00800);  // UB 0x00000..0x02000, 4 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        ChosenGm chosen_in(chosen + int64_t(t0) * 512);
        TLOAD(chosen_tile, chosen_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecI32_1x64 within_tile_first; TASSIGN(within_tile_first, 0x02000 + t0_buffer * 0x00800);  // rows 0.. of within_tile
        VecI32_1x64 chosen_tile_first; TASSIGN(chosen_tile_first, 0x00000 + t0_buffer * 0x00800);  // rows 0.. of chosen_tile
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TMOV(within_tile_first, chosen_tile_first);
        for (int32_t at = 0; at < 7; ++at) {
            VecI32_1x64 within_tile_next; TASSIGN(within_tile_next, 0x02100 + at * 0x00100 + t0_buffer * 0x00800);  // rows at + 1.. of within_tile
            VecI32_1x64 within_tile_here; TASSIGN(within_tile_here, 0x02000 + at * 0x00100 + t0_buffer * 0x00800);  // rows at.. of within_tile
            VecI32_1x64 chosen_tile_next; TASSIGN(chosen_tile_next, 0x00100 + at * 0x00100 + t0_buffer * 0x00800);  // rows at + 1.. of chosen_tile
            pipe_barrier(PIPE_V);
            TADD(within_tile_next, within_tile_here, chosen_tile_next);
        }
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecI32_8x64 within_tile; TASSIGN(within_tile, 0x02000 + t0_buffer * 0x00800);  // UB 0x02000..0x04000, 4 copies
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        ChosenGm within_out(within + int64_t(t0) * 512);
        TSTORE(within_out, within_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void rank_vec3(__gm__ int32_t *within, __gm__ int32_t *chosen, int32_t t, int32_t nblk)
{
    run_block(within, chosen, t, nblk, static_cast<int32_t>(get_block_idx()));
}
