// gather: vector kernel of `gather` for a2a3. Made by pyptogen; change the spec, not this file.
// stages gather; tiles at 1, i2 4; memory UB 82432 B
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
    int32_t i2_buffer = 0;  // which of 4 buffers this iteration of i2 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    for (int32_t i2 = block * 4; i2 < rows; i2 += nblk * 4, i2_buffer = (i2_buffer + 1) % 4) {
        const int32_t i2_valid = rows - i2 < 4 ? rows - i2 : 4;
        // y: gather(x, 1, index)
        VecF32_4x1024 source(i2_valid); TASSIGN(source, 0x00000 + i2_buffer * 0x04000);  // UB 0x00000..0x10000, 4 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));  // free again
        XGm x_in(x + int64_t(i2) * 1024, {i2_valid});
        TLOAD(source, x_in);
        VecI32_4x128 places(i2_valid); TASSIGN(places, 0x10000 + i2_buffer * 0x00800);  // UB 0x10000..0x12000, 4 copies
        IndexGm index_in(index + int64_t(i2) * 128, {i2_valid});
        TLOAD(places, index_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
        wait_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i2_buffer));  // free again
        for (int32_t at = 0; at < i2_valid; ++at) {
            VecF32_1x128 part_row; TASSIGN(part_row, 0x12000 + at * 0x00200 + i2_buffer * 0x00800);  // rows at.. of part
            VecF32_1x1024 source_row; TASSIGN(source_row, 0x00000 + at * 0x01000 + i2_buffer * 0x04000);  // rows at.. of source
            VecI32_1x128 places_row; TASSIGN(places_row, 0x10000 + at * 0x00200 + i2_buffer * 0x00800);  // rows at.. of places
            VecI32_1x128 part_row_tmp; TASSIGN<0x14000>(part_row_tmp);  // UB 0x14000..0x14200
            pipe_barrier(PIPE_V);
            TGATHER(part_row, source_row, places_row, part_row_tmp);
        }
        set_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));
        VecF32_4x128 part(i2_valid); TASSIGN(part, 0x12000 + i2_buffer * 0x00800);  // UB 0x12000..0x14000, 4 copies
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
        YGm y_out(y + int64_t(i2) * 128, {i2_valid});
        TSTORE(y_out, part);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i2_buffer));
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
