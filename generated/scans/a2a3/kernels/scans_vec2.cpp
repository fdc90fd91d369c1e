// scans_vec2: vector kernel of `scans` for a2a3. Made by pyptogen; change the spec, not this file.
// stages scans; tiles at 1, rows 32; memory UB 163840 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_32x256 = Tile<TileType::Vec, float, 32, 256, BLayout::RowMajor, DYNAMIC, 256>;
using VecF32_256x32 = Tile<TileType::Vec, float, 256, 32, BLayout::RowMajor, 256, DYNAMIC>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 256, 1>>;

AICORE inline void run_block(
    __gm__ float *product,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t rows0_buffer = 0;  // which of 2 buffers this iteration of rows0 uses
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t rows0 = block * 32; rows0 < rows; rows0 += nblk * 32, rows0_buffer ^= 1) {
        const int32_t rows0_valid = rows - rows0 < 32 ? rows - rows0 : 32;
        // product: cumprod(x, axis=-1)
        VecF32_32x256 x_tile(rows0_valid); TASSIGN(x_tile, 0x00000 + rows0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));  // free again
        XGm x_in(x + int64_t(rows0) * 256, {rows0_valid});
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        VecF32_256x32 product_tile_across(rows0_valid); TASSIGN<0x18000>(product_tile_across);  // UB 0x18000..0x20000
        VecF32_32x256 product_tile_across_tmp(rows0_valid); TASSIGN<0x20000>(product_tile_across_tmp);  // UB 0x20000..0x28000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        TTRANS(product_tile_across, x_tile, product_tile_across_tmp);
        set_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));
        for (int32_t at = 0; at < 255; ++at) {
            VecF32_1x32 product_tile_across_next(rows0_valid); TASSIGN(product_tile_across_next, 0x18080 + at * 0x00080);  // rows at + 1.. of product_tile_across
            VecF32_1x32 product_tile_across_here(rows0_valid); TASSIGN(product_tile_across_here, 0x18000 + at * 0x00080);  // rows at.. of product_tile_across
            pipe_barrier(PIPE_V);
            TMUL(product_tile_across_next, product_tile_across_here, product_tile_across_next);
        }
        VecF32_32x256 product_tile(rows0_valid); TASSIGN<0x10000>(product_tile);  // UB 0x10000..0x18000
        VecF32_256x32 product_tile_tmp(rows0_valid); TASSIGN<0x20000>(product_tile_tmp);  // UB 0x20000..0x28000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TTRANS(product_tile, product_tile_across, product_tile_tmp);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        XGm product_out(product + int64_t(rows0) * 256, {rows0_valid});
        TSTORE(product_out, product_tile);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void scans_vec2(__gm__ float *product, __gm__ float *x, int32_t rows, int32_t nblk)
{
    run_block(product, x, rows, nblk, static_cast<int32_t>(get_block_idx()));
}
