// scans_vec1: vector kernel of `scans` for a2a3. Made by pyptogen; change the spec, not this file.
// stages scans; tiles at 1, cols 64, rows 64; memory UB 65792 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecF32_64x64 = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, DYNAMIC, 64>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 256, 1>>;

AICORE inline void run_block(
    __gm__ float *down,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t rows0_buffer = 0;  // which of 2 buffers this iteration of rows0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t cols0 = block * 64; cols0 < 256; cols0 += nblk * 64) {
        // down:    cumsum(x, axis=0)
        VecF32_1x64 down_tile_so_far; TASSIGN<0x10000>(down_tile_so_far);  // UB 0x10000..0x10100
        pipe_barrier(PIPE_V);
        TEXPANDS(down_tile_so_far, 0.0f);
        for (int32_t rows0 = 0; rows0 < rows; rows0 += 64, rows0_buffer ^= 1) {
            const int32_t rows0_valid = rows - rows0 < 64 ? rows - rows0 : 64;
            VecF32_64x64 x_tile(rows0_valid); TASSIGN(x_tile, 0x00000 + rows0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));  // free again
            XGm x_in(x + int64_t(rows0) * 256 + int64_t(cols0), {rows0_valid});
            TLOAD(x_tile, x_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
            VecF32_1x64 down_tile_first; TASSIGN(down_tile_first, 0x08000 + rows0_buffer * 0x04000);  // rows 0.. of down_tile
            VecF32_1x64 x_tile_first; TASSIGN(x_tile_first, 0x00000 + rows0_buffer * 0x04000);  // rows 0.. of x_tile
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
            wait_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));  // free again
            TADD(down_tile_first, down_tile_so_far, x_tile_first);
            for (int32_t at = 0; at < rows0_valid - 1; ++at) {
                VecF32_1x64 down_tile_next; TASSIGN(down_tile_next, 0x08100 + at * 0x00100 + rows0_buffer * 0x04000);  // rows at + 1.. of down_tile
                VecF32_1x64 down_tile_here; TASSIGN(down_tile_here, 0x08000 + at * 0x00100 + rows0_buffer * 0x04000);  // rows at.. of down_tile
                VecF32_1x64 x_tile_next; TASSIGN(x_tile_next, 0x00100 + at * 0x00100 + rows0_buffer * 0x04000);  // rows at + 1.. of x_tile
                pipe_barrier(PIPE_V);
                TADD(down_tile_next, down_tile_here, x_tile_next);
            }
            set_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
            set_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));
            VecF32_1x64 down_tile_last; TASSIGN(down_tile_last, 0x07f00 + rows0_buffer * 0x04000 + rows0_valid * 0x00100);  // rows rows0_valid - 1.. of down_tile
            pipe_barrier(PIPE_V);
            TMOV(down_tile_so_far, down_tile_last);
            VecF32_64x64 down_tile(rows0_valid); TASSIGN(down_tile, 0x08000 + rows0_buffer * 0x04000);  // UB 0x08000..0x10000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
            XGm down_out(down + int64_t(rows0) * 256 + int64_t(cols0), {rows0_valid});
            TSTORE(down_out, down_tile);
            set_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void scans_vec1(__gm__ float *down, __gm__ float *x, int32_t rows, int32_t nblk)
{
    run_block(down, x, rows, nblk, static_cast<int32_t>(get_block_idx()));
}
