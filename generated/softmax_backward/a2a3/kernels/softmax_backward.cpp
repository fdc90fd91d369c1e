// softmax_backward: vector kernel of `softmax_backward` for a2a3. Made by pyptogen; change the spec, not this file.
// stages softmax_backward; tiles rows 2; memory UB 164896 B
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
using YGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 4096>, Stride<1, 1, 1, 4096, 1>>;

AICORE inline void run_block(
    __gm__ float *d_x,
    __gm__ float *y,
    __gm__ float *d_y,
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
        // d_x: y * (d_y - sum(y * d_y, axis=-1, keepdim=true))
        VecF32_8x4096 y_tile(rows0_valid); TASSIGN(y_tile, 0x00000 + rows0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(rows0_buffer));  // free again
        YGm y_in(y + int64_t(rows0) * 4096, {rows0_valid});
        TLOAD(y_tile, y_in);
        VecF32_8x4096 d_y_tile(rows0_valid); TASSIGN(d_y_tile, 0x10000 + rows0_buffer * 0x08000);  // UB 0x10000..0x20000, 2 copies
        YGm d_y_in(d_y + int64_t(rows0) * 4096, {rows0_valid});
        TLOAD(d_y_tile, d_y_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        VecF32_8x4096 d_x_1(rows0_valid); TASSIGN(d_x_1, 0x20000);  // UB 0x20000..0x28000
        wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        TMUL(d_x_1, y_tile, d_y_tile);
        VecF32_8x4096_c2048 d_x_1_2048(rows0_valid); TASSIGN(d_x_1_2048, 0x20000);  // columns 0.. of d_x_1
        VecF32_8x4096_c2048 d_x_1_from_2048(rows0_valid); TASSIGN(d_x_1_from_2048, 0x22000);  // columns 2048.. of d_x_1
        pipe_barrier(PIPE_V);
        TADD(d_x_1_2048, d_x_1_2048, d_x_1_from_2048);
        VecF32_8x4096_c1024 d_x_1_1024(rows0_valid); TASSIGN(d_x_1_1024, 0x20000);  // columns 0.. of d_x_1
        VecF32_8x4096_c1024 d_x_1_from_1024(rows0_valid); TASSIGN(d_x_1_from_1024, 0x21000);  // columns 1024.. of d_x_1
        pipe_barrier(PIPE_V);
        TADD(d_x_1_1024, d_x_1_1024, d_x_1_from_1024);
        VecF32_8x1 d_x_2(rows0_valid); TASSIGN<0x28000>(d_x_2);  // UB 0x28000..0x28020
        VecF32_8x128 d_x_2_tmp(rows0_valid); TASSIGN<0x28020>(d_x_2_tmp);  // UB 0x28020..0x28420
        pipe_barrier(PIPE_V);
        TROWSUM(d_x_2, d_x_1_1024, d_x_2_tmp);
        VecF32_8x4096 d_x_3(rows0_valid); TASSIGN(d_x_3, 0x10000 + rows0_buffer * 0x08000);  // UB 0x10000..0x20000, 2 copies
        pipe_barrier(PIPE_V);
        TROWEXPANDSUB(d_x_3, d_y_tile, d_x_2);
        VecF32_8x4096 d_x_tile(rows0_valid); TASSIGN(d_x_tile, 0x00000 + rows0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        pipe_barrier(PIPE_V);
        TMUL(d_x_tile, y_tile, d_x_3);
        set_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        YGm d_x_out(d_x + int64_t(rows0) * 4096, {rows0_valid});
        TSTORE(d_x_out, d_x_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(rows0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void softmax_backward(
    __gm__ float *d_x, __gm__ float *y, __gm__ float *d_y, int32_t rows_begin, int32_t rows_end, int32_t nblk)
{
    run_block(d_x, y, d_y, rows_begin, rows_end, nblk, static_cast<int32_t>(get_block_idx()));
}
