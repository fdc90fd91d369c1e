// transpose: vector kernel of `transpose` for a2a3. Made by pyptogen; change the spec, not this file.
// stages transpose; tiles i1 64, i2 64, i3 1; memory UB 81920 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x64 = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 200, 1>>;
using YGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;

AICORE inline void run_block(
    __gm__ float *y,
    __gm__ float *x,
    int32_t batch,
    int32_t m,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t i2_buffer = 0;  // which of 2 buffers this iteration of i2 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    const int32_t i2_tiles = (m + 63) / 64;
    const int32_t tiles = batch * i2_tiles * 4;  // of i3, i1 and i2
    for (int32_t tile = block; tile < tiles; tile += nblk, i2_buffer ^= 1) {
        const int32_t i3 = tile / (i2_tiles * 4);
        const int32_t i1 = tile / i2_tiles % 4 * 64;
        const int32_t i1_valid = 200 - i1 < 64 ? 200 - i1 : 64;
        const int32_t i2 = tile % i2_tiles * 64;
        const int32_t i2_valid = m - i2 < 64 ? m - i2 : 64;
        // y: transpose(x, 1, 2)
        VecF32_64x64 part(i2_valid, i1_valid); TASSIGN(part, 0x00000 + i2_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));  // free again
        XGm x_in(x + int64_t(i2) * 200 + int64_t(i3) * m * 200 + int64_t(i1), {i2_valid, i1_valid});
        TLOAD(part, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
        VecF32_64x64 transposed(i1_valid, i2_valid); TASSIGN(transposed, 0x08000 + i2_buffer * 0x04000);  // UB 0x08000..0x10000, 2 copies
        VecF32_64x64 transposed_tmp(i2_valid, i1_valid); TASSIGN<0x10000>(transposed_tmp);  // UB 0x10000..0x14000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i2_buffer));  // free again
        TTRANS(transposed, part, transposed_tmp);
        set_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
        YGm y_out(y + int64_t(i3) * m * 200 + int64_t(i1) * m + int64_t(i2), {i1_valid, i2_valid}, {int64_t(m)});
        TSTORE(y_out, transposed);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i2_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void transpose(
    __gm__ float *y, __gm__ float *x, int32_t batch, int32_t m, int32_t nblk)
{
    run_block(y, x, batch, m, nblk, static_cast<int32_t>(get_block_idx()));
}
