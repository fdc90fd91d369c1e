// rank_vec5: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rank; tiles t 32; memory UB 98304 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_32x64 = Tile<TileType::Vec, int32_t, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using Ahead1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 64, 1>>;
using WithinGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 512, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *ahead,
    __gm__ int32_t *ahead_1,
    __gm__ int32_t *within,
    int32_t t_begin,
    int32_t t_end,
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
    for (int32_t t0 = t_begin + block * 32; t0 < t_end; t0 += nblk * 32, t0_buffer = (t0_buffer + 1) % 4) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        // ahead:  cumsum(each, axis=0) - each
        VecI32_32x64 ahead_1_tile(t0_valid); TASSIGN(ahead_1_tile, 0x00000 + t0_buffer * 0x02000);  // UB 0x00000..0x08000, 4 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        Ahead1Gm ahead_1_in(ahead_1 + int64_t(t0) * 64, {t0_valid});
        TLOAD(ahead_1_tile, ahead_1_in);
        VecI32_32x64 each(t0_valid); TASSIGN(each, 0x08000 + t0_buffer * 0x02000);  // UB 0x08000..0x10000, 4 copies
        WithinGm within_in(within + int64_t(t0) * 512 + 448, {t0_valid});
        TLOAD(each, within_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecI32_32x64 ahead_tile(t0_valid); TASSIGN(ahead_tile, 0x10000 + t0_buffer * 0x02000);  // UB 0x10000..0x18000, 4 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TSUB(ahead_tile, ahead_1_tile, each);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        Ahead1Gm ahead_out(ahead + int64_t(t0) * 64, {t0_valid});
        TSTORE(ahead_out, ahead_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void rank_vec5(
    __gm__ int32_t *ahead, __gm__ int32_t *ahead_1, __gm__ int32_t *within, int32_t t_begin, int32_t t_end,
    int32_t nblk)
{
    run_block(ahead, ahead_1, within, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
