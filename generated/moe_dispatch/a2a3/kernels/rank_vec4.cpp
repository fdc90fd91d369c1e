// rank_vec4: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rank; tiles at 1, t 64; memory UB 82176 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecI32_64x64 = Tile<TileType::Vec, int32_t, 64, 64, BLayout::RowMajor, DYNAMIC, 64>;
using WithinGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 512, 1>>;
using AheadGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 64, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *ahead,
    __gm__ int32_t *within,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    // ahead:  cumsum(each, axis=0) - each
    VecI32_1x64 ahead_1_so_far; TASSIGN<0x10000>(ahead_1_so_far);  // UB 0x10000..0x10100
    TEXPANDS(ahead_1_so_far, 0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = 0; t0 < t; t0 += 64, t0_buffer ^= 1) {
        const int32_t t0_valid = t - t0 < 64 ? t - t0 : 64;
        VecI32_64x64 each(t0_valid); TASSIGN(each, 0x00000 + t0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        WithinGm within_in(within + int64_t(t0) * 512 + 448, {t0_valid});
        TLOAD(each, within_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecI32_1x64 ahead_1_first; TASSIGN<0x10100>(ahead_1_first);  // rows 0.. of ahead_1
        VecI32_1x64 each_first; TASSIGN(each_first, 0x00000 + t0_buffer * 0x04000);  // rows 0.. of each
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TADD(ahead_1_first, ahead_1_so_far, each_first);
        for (int32_t at = 0; at < t0_valid - 1; ++at) {
            VecI32_1x64 ahead_1_next; TASSIGN(ahead_1_next, 0x10200 + at * 0x00100);  // rows at + 1.. of ahead_1
            VecI32_1x64 ahead_1_here; TASSIGN(ahead_1_here, 0x10100 + at * 0x00100);  // rows at.. of ahead_1
            VecI32_1x64 each_next; TASSIGN(each_next, 0x00100 + at * 0x00100 + t0_buffer * 0x04000);  // rows at + 1.. of each
            pipe_barrier(PIPE_V);
            TADD(ahead_1_next, ahead_1_here, each_next);
        }
        VecI32_1x64 ahead_1_last; TASSIGN(ahead_1_last, 0x10000 + t0_valid * 0x00100);  // rows t0_valid - 1.. of ahead_1
        pipe_barrier(PIPE_V);
        TMOV(ahead_1_so_far, ahead_1_last);
        VecI32_64x64 ahead_tile(t0_valid); TASSIGN(ahead_tile, 0x08000 + t0_buffer * 0x04000);  // UB 0x08000..0x10000, 2 copies
        VecI32_64x64 ahead_1(t0_valid); TASSIGN<0x10100>(ahead_1);  // UB 0x10100..0x14100
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TSUB(ahead_tile, ahead_1, each);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        AheadGm ahead_out(ahead + int64_t(t0) * 64, {t0_valid});
        TSTORE(ahead_out, ahead_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void rank_vec4(__gm__ int32_t *ahead, __gm__ int32_t *within, int32_t t, int32_t nblk)
{
    run_block(ahead, within, t, nblk, static_cast<int32_t>(get_block_idx()));
}
