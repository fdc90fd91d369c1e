// softmax: vector kernel of `softmax` for a2a3. Made by pyptogen; change the spec, not this file.
// stages softmax; tiles rows 2; memory UB 99360 B
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
        // m: amax(x, axis=-1, keepdim=true)
        VecF32_8x4096 x_tile(rows0_valid); TASSIGN(x_tile, 0x00000 + rows0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(rows0_buffer));  // free again
        XGm x_in(x + int64_t(rows0) * 4096, {rows0_valid});
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        VecF32_8x4096_c2048 m_folded(rows0_valid); TASSIGN<0x10000>(m_folded);  // UB 0x10000..0x18000
        VecF32_8x4096_c2048 x_tile_2048(rows0_valid); TASSIGN(x_tile_2048, 0x00000 + rows0_buffer * 0x08000);  // columns 0.. of x_tile
        VecF32_8x4096_c2048 x_tile_from_2048(rows0_valid); TASSIGN(x_tile_from_2048, 0x02000 + rows0_buffer * 0x08000);  // columns 2048.. of x_tile
        wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        TMAX(m_folded, x_tile_2048, x_tile_from_2048);
        VecF32_8x4096_c1024 m_folded_1024(rows0_valid); TASSIGN<0x10000>(m_folded_1024);  // columns 0.. of m_folded
        VecF32_8x4096_c1024 m_folded_from_1024(rows0_valid); TASSIGN(m_folded_from_1024, 0x11000);  // columns 1024.. of m_folded
        pipe_barrier(PIPE_V);
        TMAX(m_folded_1024, m_folded_1024, m_folded_from_1024);
        VecF32_8x1 m(rows0_valid); TASSIGN<0x18000>(m);  // UB 0x18000..0x18020
        VecF32_8x128 m_tmp(rows0_valid); TASSIGN<0x18020>(m_tmp);  // UB 0x18020..0x18420
        pipe_barrier(PIPE_V);
        TROWMAX(m, m_folded_1024, m_tmp);
        // e: exp(x - m)
        VecF32_8x4096 e_1(rows0_valid); TASSIGN(e_1, 0x00000 + rows0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        pipe_barrier(PIPE_V);
        TROWEXPANDSUB(e_1, x_tile, m);
        VecF32_8x4096 e(rows0_valid); TASSIGN(e, 0x00000 + rows0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        pipe_barrier(PIPE_V);
        TEXP(e, e_1);
        // y: e / sum(e, axis=-1, keepdim=true)
        VecF32_8x4096_c2048 y_1_folded(rows0_valid); TASSIGN<0x10000>(y_1_folded);  // UB 0x10000..0x18000
        VecF32_8x4096_c2048 e_2048(rows0_valid); TASSIGN(e_2048, 0x00000 + rows0_buffer * 0x08000);  // columns 0.. of e
        VecF32_8x4096_c2048 e_from_2048(rows0_valid); TASSIGN(e_from_2048, 0x02000 + rows0_buffer * 0x08000);  // columns 2048.. of e
        pipe_barrier(PIPE_V);
        TADD(y_1_folded, e_2048, e_from_2048);
        VecF32_8x4096_c1024 y_1_folded_1024(rows0_valid); TASSIGN<0x10000>(y_1_folded_1024);  // columns 0.. of y_1_folded
        VecF32_8x4096_c1024 y_1_folded_from_1024(rows0_valid); TASSIGN(y_1_folded_from_1024, 0x11000);  // columns 1024.. of y_1_folded
        pipe_barrier(PIPE_V);
        TADD(y_1_folded_1024, y_1_folded_1024, y_1_folded_from_1024);
        VecF32_8x1 y_1(rows0_valid); TASSIGN<0x18000>(y_1);  // UB 0x18000..0x18020
        VecF32_8x128 y_1_tmp(rows0_valid); TASSIGN<0x18020>(y_1_tmp);  // UB 0x18020..0x18420
        pipe_barrier(PIPE_V);
        TROWSUM(y_1, y_1_folded_1024, y_1_tmp);
        VecF32_8x4096 y_tile(rows0_valid); TASSIGN(y_tile, 0x00000 + rows0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        pipe_barrier(PIPE_V);
        TROWEXPANDDIV(y_tile, e, y_1);
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

extern "C" __global__ AICORE void softmax(
    __gm__ float *y, __gm__ float *x, int32_t rows_begin, int32_t rows_end, int32_t nblk)
{
    run_block(y, x, rows_begin, rows_end, nblk, static_cast<int32_t>(get_block_idx()));
}
