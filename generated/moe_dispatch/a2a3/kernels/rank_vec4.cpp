// rank_vec4: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rank; tiles at 1, i2 64, once 1; memory UB 65792 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecI32_64x64 = Tile<TileType::Vec, int32_t, 64, 64, BLayout::RowMajor, DYNAMIC, 64>;
using WithinGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 512, 1>>;
using Ahead1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 64, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *ahead_1,
    __gm__ int32_t *within,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t i2_buffer = 0;  // which of 2 buffers this iteration of i2 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t once = block; once < 1; once += nblk) {
        // ahead:  cumsum(each, axis=0) - each
        VecI32_1x64 total; TASSIGN<0x10000>(total);  // UB 0x10000..0x10100
        pipe_barrier(PIPE_V);
        TEXPANDS(total, 0);
        for (int32_t i2 = 0; i2 < t; i2 += 64, i2_buffer ^= 1) {
            const int32_t i2_valid = t - i2 < 64 ? t - i2 : 64;
            VecI32_64x64 part(i2_valid); TASSIGN(part, 0x00000 + i2_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));  // free again
            WithinGm within_in(within + int64_t(i2) * 512 + 448, {i2_valid});
            TLOAD(part, within_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
            VecI32_1x64 first; TASSIGN(first, 0x08000 + i2_buffer * 0x04000);  // rows 0.. of sums
            VecI32_1x64 of_first; TASSIGN(of_first, 0x00000 + i2_buffer * 0x04000);  // rows 0.. of part
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
            wait_flag(PIPE_MTE3, PIPE_V, event_t(i2_buffer));  // free again
            TADD(first, total, of_first);
            for (int32_t at = 0; at < i2_valid - 1; ++at) {
                VecI32_1x64 following; TASSIGN(following, 0x08100 + at * 0x00100 + i2_buffer * 0x04000);  // rows at + 1.. of sums
                VecI32_1x64 here; TASSIGN(here, 0x08000 + at * 0x00100 + i2_buffer * 0x04000);  // rows at.. of sums
                VecI32_1x64 of_following; TASSIGN(of_following, 0x00100 + at * 0x00100 + i2_buffer * 0x04000);  // rows at + 1.. of part
                pipe_barrier(PIPE_V);
                TADD(following, here, of_following);
            }
            set_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
            set_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));
            VecI32_1x64 last; TASSIGN(last, 0x07f00 + i2_buffer * 0x04000 + i2_valid * 0x00100);  // rows i2_valid - 1.. of sums
            pipe_barrier(PIPE_V);
            TMOV(total, last);
            VecI32_64x64 sums(i2_valid); TASSIGN(sums, 0x08000 + i2_buffer * 0x04000);  // UB 0x08000..0x10000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
            Ahead1Gm ahead_1_out(ahead_1 + int64_t(i2) * 64, {i2_valid});
            TSTORE(ahead_1_out, sums);
            set_flag(PIPE_MTE3, PIPE_V, event_t(i2_buffer));
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void rank_vec4(
    __gm__ int32_t *ahead_1, __gm__ int32_t *within, int32_t t, int32_t nblk)
{
    run_block(ahead_1, within, t, nblk, static_cast<int32_t>(get_block_idx()));
}
