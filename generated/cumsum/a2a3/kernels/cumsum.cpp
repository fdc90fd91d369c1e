// cumsum: vector kernel of `cumsum` for a2a3. Made by pyptogen; change the spec, not this file.
// stages cumsum; tiles at 1, i1 16, i2 256; memory UB 98368 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_16x256 = Tile<TileType::Vec, float, 16, 256, BLayout::RowMajor, DYNAMIC, 256>;
using VecF32_256x16 = Tile<TileType::Vec, float, 256, 16, BLayout::RowMajor, 256, DYNAMIC>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 1024, 1>>;

AICORE inline void run_block(
    __gm__ float *y,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t i2_buffer = 0;  // which of 2 buffers this iteration of i2 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t i1 = block * 16; i1 < rows; i1 += nblk * 16) {
        const int32_t i1_valid = rows - i1 < 16 ? rows - i1 : 16;
        // y: cumsum(x, axis=-1)
        VecF32_1x16 total(i1_valid); TASSIGN<0x10000>(total);  // UB 0x10000..0x10040
        pipe_barrier(PIPE_V);
        TEXPANDS(total, 0.0f);
        for (int32_t i2 = 0; i2 < 1024; i2 += 256, i2_buffer ^= 1) {
            VecF32_16x256 part(i1_valid); TASSIGN(part, 0x00000 + i2_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));  // free again
            XGm x_in(x + int64_t(i1) * 1024 + int64_t(i2), {i1_valid});
            TLOAD(part, x_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
            VecF32_256x16 across(i1_valid); TASSIGN<0x10040>(across);  // UB 0x10040..0x14040
            VecF32_16x256 across_tmp(i1_valid); TASSIGN<0x14040>(across_tmp);  // UB 0x14040..0x18040
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
            TTRANS(across, part, across_tmp);
            set_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));
            VecF32_1x16 first(i1_valid); TASSIGN<0x10040>(first);  // rows 0.. of across
            pipe_barrier(PIPE_V);
            TADD(first, total, first);
            for (int32_t at = 0; at < 255; ++at) {
                VecF32_1x16 following(i1_valid); TASSIGN(following, 0x10080 + at * 0x00040);  // rows at + 1.. of across
                VecF32_1x16 here(i1_valid); TASSIGN(here, 0x10040 + at * 0x00040);  // rows at.. of across
                pipe_barrier(PIPE_V);
                TADD(following, here, following);
            }
            VecF32_1x16 last(i1_valid); TASSIGN<0x14000>(last);  // rows 255.. of across
            pipe_barrier(PIPE_V);
            TMOV(total, last);
            VecF32_16x256 sums(i1_valid); TASSIGN(sums, 0x08000 + i2_buffer * 0x04000);  // UB 0x08000..0x10000, 2 copies
            VecF32_256x16 sums_tmp(i1_valid); TASSIGN<0x14040>(sums_tmp);  // UB 0x14040..0x18040
            wait_flag(PIPE_MTE3, PIPE_V, event_t(i2_buffer));  // free again
            TTRANS(sums, across, sums_tmp);
            set_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
            XGm y_out(y + int64_t(i1) * 1024 + int64_t(i2), {i1_valid});
            TSTORE(y_out, sums);
            set_flag(PIPE_MTE3, PIPE_V, event_t(i2_buffer));
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void cumsum(__gm__ float *y, __gm__ float *x, int32_t rows, int32_t nblk)
{
    run_block(y, x, rows, nblk, static_cast<int32_t>(get_block_idx()));
}
