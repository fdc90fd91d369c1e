// cumsum: vector kernel of `cumsum` for a2a3. Made by pyptogen; change the spec, not this file.
// stages cumsum; tiles at 1, cols 128, rows 32; memory UB 98432 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_128x32 = Tile<TileType::Vec, float, 128, 32, BLayout::RowMajor, 128, DYNAMIC>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 1024, 1>>;

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
    int32_t cols0_buffer = 0;  // which of 2 buffers this iteration of cols0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t rows0 = block * 32; rows0 < rows; rows0 += nblk * 32) {
        const int32_t rows0_valid = rows - rows0 < 32 ? rows - rows0 : 32;
        // y: cumsum(x, axis=-1)
        VecF32_1x32 y_tile_so_far(rows0_valid); TASSIGN<0x10000>(y_tile_so_far);  // UB 0x10000..0x10080
        pipe_barrier(PIPE_V);
        TEXPANDS(y_tile_so_far, 0.0f);
        for (int32_t cols0 = 0; cols0 < 1024; cols0 += 128, cols0_buffer ^= 1) {
            VecF32_32x128 x_tile(rows0_valid); TASSIGN(x_tile, 0x00000 + cols0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(cols0_buffer));  // free again
            XGm x_in(x + int64_t(rows0) * 1024 + int64_t(cols0), {rows0_valid});
            TLOAD(x_tile, x_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(cols0_buffer));
            VecF32_128x32 y_tile_across(rows0_valid); TASSIGN<0x10080>(y_tile_across);  // UB 0x10080..0x14080
            VecF32_32x128 y_tile_across_tmp(rows0_valid); TASSIGN<0x14080>(y_tile_across_tmp);  // UB 0x14080..0x18080
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(cols0_buffer));
            TTRANS(y_tile_across, x_tile, y_tile_across_tmp);
            set_flag(PIPE_V, PIPE_MTE2, event_t(cols0_buffer));
            VecF32_1x32 y_tile_across_first(rows0_valid); TASSIGN<0x10080>(y_tile_across_first);  // rows 0.. of y_tile_across
            pipe_barrier(PIPE_V);
            TADD(y_tile_across_first, y_tile_so_far, y_tile_across_first);
            for (int32_t at = 0; at < 127; ++at) {
                VecF32_1x32 y_tile_across_next(rows0_valid); TASSIGN(y_tile_across_next, 0x10100 + at * 0x00080);  // rows at + 1.. of y_tile_across
                VecF32_1x32 y_tile_across_here(rows0_valid); TASSIGN(y_tile_across_here, 0x10080 + at * 0x00080);  // rows at.. of y_tile_across
                pipe_barrier(PIPE_V);
                TADD(y_tile_across_next, y_tile_across_here, y_tile_across_next);
            }
            VecF32_1x32 y_tile_across_last(rows0_valid); TASSIGN<0x14000>(y_tile_across_last);  // rows 127.. of y_tile_across
            pipe_barrier(PIPE_V);
            TMOV(y_tile_so_far, y_tile_across_last);
            VecF32_32x128 y_tile(rows0_valid); TASSIGN(y_tile, 0x08000 + cols0_buffer * 0x04000);  // UB 0x08000..0x10000, 2 copies
            VecF32_128x32 y_tile_tmp(rows0_valid); TASSIGN<0x14080>(y_tile_tmp);  // UB 0x14080..0x18080
            wait_flag(PIPE_MTE3, PIPE_V, event_t(cols0_buffer));  // free again
            TTRANS(y_tile, y_tile_across, y_tile_tmp);
            set_flag(PIPE_V, PIPE_MTE3, event_t(cols0_buffer));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(cols0_buffer));
            XGm y_out(y + int64_t(rows0) * 1024 + int64_t(cols0), {rows0_valid});
            TSTORE(y_out, y_tile);
            set_flag(PIPE_MTE3, PIPE_V, event_t(cols0_buffer));
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
