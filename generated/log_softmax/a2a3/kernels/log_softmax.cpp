// log_softmax: vector kernel of `log_softmax` for a2a3. Made by pyptogen; change the spec, not this file.
// stages log_softmax; tiles rows 2; memory UB 99360 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x4096 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, DYNAMIC, 4096>;
using VecF32_8x4096_c2048 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, DYNAMIC, 2048>;
using VecF32_8x4096_c1024 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, DYNAMIC, 1024>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_8x128 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 4096>, Stride<1, 1, 1, 4096, 1>>;

AICORE inline void run_block(
    __gm__ float *y,
    __gm__ float *x,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t rows0_buffer = 0;  // which of 2 buffers this iteration of rows0 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t rows0 = rows_begin + block * 2; rows0 < rows_end; rows0 += nblk * 2, rows0_buffer ^= 1) {
        const int32_t rows0_valid = rows_end - rows0 < 2 ? rows_end - rows0 : 2;
        // c: x - amax(x, axis=-1, keepdim=true)
        VecF32_8x4096 x_tile(rows0_valid); TASSIGN(x_tile, 0x00000 + rows0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(rows0_buffer));  // free again
        XGm x_in(x + int64_t(rows0) * 4096, {rows0_valid});
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        VecF32_8x4096_c2048 c_1_folded(rows0_valid); TASSIGN<0x10000>(c_1_folded);  // UB 0x10000..0x18000
        VecF32_8x4096_c2048 x_tile_2048(rows0_valid); TASSIGN(x_tile_2048, 0x00000 + rows0_buffer * 0x08000);  // columns 0.. of x_tile
        VecF32_8x4096_c2048 x_tile_from_2048(rows0_valid); TASSIGN(x_tile_from_2048, 0x02000 + rows0_buffer * 0x08000);  // columns 2048.. of x_tile
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        TMAX(c_1_folded, x_tile_2048, x_tile_from_2048);
        VecF32_8x4096_c1024 c_1_folded_1024(rows0_valid); TASSIGN<0x10000>(c_1_folded_1024);  // columns 0.. of c_1_folded
        VecF32_8x4096_c1024 c_1_folded_from_1024(rows0_valid); TASSIGN(c_1_folded_from_1024, 0x11000);  // columns 1024.. of c_1_folded
        pipe_barrier(PIPE_V);
        TMAX(c_1_folded_1024, c_1_folded_1024, c_1_folded_from_1024);
        VecF32_8x1 c_1(rows0_valid); TASSIGN<0x18000>(c_1);  // UB 0x18000..0x18020
        VecF32_8x128 c_1_tmp(rows0_valid); TASSIGN<0x18020>(c_1_tmp);  // UB 0x18020..0x18420
        pipe_barrier(PIPE_V);
        TROWMAX(c_1, c_1_folded_1024, c_1_tmp);
        VecF32_8x4096 c(rows0_valid); TASSIGN(c, 0x00000 + rows0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        pipe_barrier(PIPE_V);
        TROWEXPANDSUB(c, x_tile, c_1);
        // y: c - log(sum(exp(c), axis=-1, keepdim=true))
        VecF32_8x4096 y_1(rows0_valid); TASSIGN<0x10000>(y_1);  // UB 0x10000..0x18000
        pipe_barrier(PIPE_V);
        TEXP(y_1, c);
        VecF32_8x4096_c2048 y_1_2048(rows0_valid); TASSIGN<0x10000>(y_1_2048);  // columns 0.. of y_1
        VecF32_8x4096_c2048 y_1_from_2048(rows0_valid); TASSIGN(y_1_from_2048, 0x12000);  // columns 2048.. of y_1
        pipe_barrier(PIPE_V);
        TADD(y_1_2048, y_1_2048, y_1_from_2048);
        VecF32_8x4096_c1024 y_1_1024(rows0_valid); TASSIGN<0x10000>(y_1_1024);  // columns 0.. of y_1
        VecF32_8x4096_c1024 y_1_from_1024(rows0_valid); TASSIGN(y_1_from_1024, 0x11000);  // columns 1024.. of y_1
        pipe_barrier(PIPE_V);
        TADD(y_1_1024, y_1_1024, y_1_from_1024);
        VecF32_8x1 y_2(rows0_valid); TASSIGN<0x18000>(y_2);  // UB 0x18000..0x18020
        VecF32_8x128 y_2_tmp(rows0_valid); TASSIGN<0x18020>(y_2_tmp);  // UB 0x18020..0x18420
        pipe_barrier(PIPE_V);
        TROWSUM(y_2, y_1_1024, y_2_tmp);
        VecF32_1x8 y_3_row(rows0_valid); TASSIGN<0x10000>(y_3_row);  // as a row, same bytes as y_3
        VecF32_1x8 y_2_row(rows0_valid); TASSIGN<0x18000>(y_2_row);  // as a row, same bytes as y_2
        pipe_barrier(PIPE_V);
        TLOG(y_3_row, y_2_row);
        VecF32_8x4096 y_tile(rows0_valid); TASSIGN(y_tile, 0x00000 + rows0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        VecF32_8x1 y_3(rows0_valid); TASSIGN<0x10000>(y_3);  // UB 0x10000..0x10020
        pipe_barrier(PIPE_V);
        TROWEXPANDSUB(y_tile, c, y_3);
        set_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        XGm y_out(y + int64_t(rows0) * 4096, {rows0_valid});
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(rows0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void log_softmax(
    __gm__ float *y, __gm__ float *x, int32_t rows_begin, int32_t rows_end, int32_t nblk)
{
    run_block(y, x, rows_begin, rows_end, nblk, static_cast<int32_t>(get_block_idx()));
}
