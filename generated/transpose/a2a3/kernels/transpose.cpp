// transpose: vector kernel of `transpose` for a2a3. Made by pyptogen; change the spec, not this file.
// stages transpose; tiles batch 1, m 256, n 32; memory UB 163840 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_256x32 = Tile<TileType::Vec, float, 256, 32, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_32x256 = Tile<TileType::Vec, float, 32, 256, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
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
    int32_t m0_buffer = 0;  // which of 2 buffers this iteration of m0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    const int32_t m0_tiles = (m + 255) / 256;
    const int32_t tiles = batch * m0_tiles * 7;  // of batch0, n0 and m0
    for (int32_t tile = block; tile < tiles; tile += nblk, m0_buffer ^= 1) {
        const int32_t batch0 = tile / (m0_tiles * 7);
        const int32_t n0 = tile / m0_tiles % 7 * 32;
        const int32_t n0_valid = 200 - n0 < 32 ? 200 - n0 : 32;
        const int32_t m0 = tile % m0_tiles * 256;
        const int32_t m0_valid = m - m0 < 256 ? m - m0 : 256;
        // y: transpose(x, 1, 2)
        VecF32_256x32 x_tile_across(m0_valid, n0_valid); TASSIGN(x_tile_across, 0x10000 + m0_buffer * 0x08000);  // UB 0x10000..0x20000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(m0_buffer));  // free again
        XGm x_in(x + int64_t(batch0) * m * 200 + int64_t(m0) * 200 + int64_t(n0), {m0_valid, n0_valid});
        TLOAD(x_tile_across, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(m0_buffer));
        VecF32_32x256 x_tile(n0_valid, m0_valid); TASSIGN(x_tile, 0x00000 + m0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        VecF32_256x32 x_tile_tmp(m0_valid, n0_valid); TASSIGN<0x20000>(x_tile_tmp);  // UB 0x20000..0x28000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(m0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(m0_buffer));  // free again
        TTRANS(x_tile, x_tile_across, x_tile_tmp);
        set_flag(PIPE_V, PIPE_MTE3, event_t(m0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(m0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(m0_buffer));
        YGm y_out(y + int64_t(batch0) * m * 200 + int64_t(m) * n0 + int64_t(m0), {n0_valid, m0_valid}, {int64_t(m)});
        TSTORE(y_out, x_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(m0_buffer));
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
