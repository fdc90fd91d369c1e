// gather: vector kernel of `gather` for a2a3. Made by pyptogen; change the spec, not this file.
// stages gather; tiles i1 1, i2 1; memory UB 64 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x8_c1 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;

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
    int32_t i2_buffer = 0;  // which of 2 buffers this iteration of i2 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = rows * 128;  // of i1 and i2
    for (int32_t tile = block; tile < tiles; tile += nblk, i2_buffer ^= 1) {
        const int32_t i1 = tile / 128;
        const int32_t i2 = tile % 128;
        const int64_t place = index[int64_t(i1) * 128 + int64_t(i2)];
        // y: gather(x, 1, index)
        VecF32_1x8_c1 part; TASSIGN(part, 0x00000 + i2_buffer * 0x00020);  // UB 0x00000..0x00040, 2 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(i2_buffer));  // free again
        XGm x_in(x + int64_t(i1) * 1024 + int64_t(place));
        TLOAD(part, x_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(i2_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(i2_buffer));
        XGm y_out(y + int64_t(i1) * 128 + int64_t(i2));
        TSTORE(y_out, part);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(i2_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void gather(
    __gm__ float *y, __gm__ float *x, __gm__ int32_t *index, int32_t rows, int32_t nblk)
{
    run_block(y, x, index, rows, nblk, static_cast<int32_t>(get_block_idx()));
}
