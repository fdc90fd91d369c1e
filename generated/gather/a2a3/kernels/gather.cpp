// gather: vector kernel of `gather` for a2a3. Made by pyptogen; change the spec, not this file.
// stages gather; tiles rows 4, taken_at 1; memory UB 82432 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_4x1024 = Tile<TileType::Vec, float, 4, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using VecI32_4x128 = Tile<TileType::Vec, int32_t, 4, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_1x1024 = Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024>;
using VecI32_1x128 = Tile<TileType::Vec, int32_t, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_4x128 = Tile<TileType::Vec, float, 4, 128, BLayout::RowMajor, DYNAMIC, 128>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 1024, 1>>;
using IndexGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using YGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ float *y,
    __gm__ float *x,
    __gm__ int32_t *index,
    int32_t rows,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t rows0_buffer = 0;  // which of 4 buffers this iteration of rows0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    for (int32_t rows0 = block * 4; rows0 < rows; rows0 += nblk * 4, rows0_buffer = (rows0_buffer + 1) % 4) {
        const int32_t rows0_valid = rows - rows0 < 4 ? rows - rows0 : 4;
        // y: gather(x, 1, index)
        VecF32_4x1024 x_tile(rows0_valid); TASSIGN(x_tile, 0x00000 + rows0_buffer * 0x04000);  // UB 0x00000..0x10000, 4 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));  // free again
        XGm x_in(x + int64_t(rows0) * 1024, {rows0_valid});
        TLOAD(x_tile, x_in);
        VecI32_4x128 index_tile(rows0_valid); TASSIGN(index_tile, 0x10000 + rows0_buffer * 0x00800);  // UB 0x10000..0x12000, 4 copies
        IndexGm index_in(index + int64_t(rows0) * 128, {rows0_valid});
        TLOAD(index_tile, index_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));  // free again
        for (int32_t taken_at = 0; taken_at < rows0_valid; ++taken_at) {
            VecF32_1x128 taken_line; TASSIGN(taken_line, 0x12000 + rows0_buffer * 0x00800 + taken_at * 0x00200);  // rows taken_at.. of taken
            VecF32_1x1024 x_tile_line; TASSIGN(x_tile_line, 0x00000 + rows0_buffer * 0x04000 + taken_at * 0x01000);  // rows taken_at.. of x_tile
            VecI32_1x128 index_tile_line; TASSIGN(index_tile_line, 0x10000 + rows0_buffer * 0x00800 + taken_at * 0x00200);  // rows taken_at.. of index_tile
            VecI32_1x128 taken_line_tmp; TASSIGN<0x14000>(taken_line_tmp);  // UB 0x14000..0x14200
            pipe_barrier(PIPE_V);
            TGATHER(taken_line, x_tile_line, index_tile_line, taken_line_tmp);
        }
        set_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));
        VecF32_4x128 taken_(rows0_valid); TASSIGN(taken_, 0x12000 + rows0_buffer * 0x00800);  // UB 0x12000..0x14000, 4 copies
        wait_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        YGm y_out(y + int64_t(rows0) * 128, {rows0_valid});
        TSTORE(y_out, taken_);
        set_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void gather(
    __gm__ float *y, __gm__ float *x, __gm__ int32_t *index, int32_t rows, int32_t nblk)
{
    run_block(y, x, index, rows, nblk, static_cast<int32_t>(get_block_idx()));
}
