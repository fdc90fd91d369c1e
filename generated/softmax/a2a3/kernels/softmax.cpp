// softmax: vector kernel of `softmax` for a2a3. Made by pyptogen; change the spec, not this file.
// stages softmax; tiles rows 4; memory UB 133152 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x4096 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, DYNAMIC, 4096>;
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
    for (int32_t rows0 = rows_begin + block * 4; rows0 < rows_end; rows0 += nblk * 4, rows0_buffer ^= 1) {
        const int32_t rows0_valid = rows_end - rows0 < 4 ? rows_end - rows0 : 4;
        // m: amax(x, axis=-1, keepdim=true)
        VecF32_8x4096 x_tile(rows0_valid); TASSIGN(x_tile, 0x00000 + rows0_buffer * 0x10000);  // UB 0x00000..0x20000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(rows0_buffer));  // free again
        XGm x_in(x + int64_t(rows0) * 4096, {rows0_valid});
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        VecF32_8x1 m(rows0_valid); TASSIGN<0x20000>(m);  // UB 0x20000..0x20020
        VecF32_8x128 m_tmp(rows0_valid); TASSIGN<0x20020>(m_tmp);  // UB 0x20020..0x20820
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        TROWMAX(m, x_tile, m_tmp);
        // e: exp(x - m)
        VecF32_8x4096 e(rows0_valid); TASSIGN(e, 0x00000 + rows0_buffer * 0x10000);  // UB 0x00000..0x20000, 2 copies
        pipe_barrier(PIPE_V);
        TROWEXPANDSUB(e, x_tile, m);
        pipe_barrier(PIPE_V);
        TEXP(e, e);
        // y: e / sum(e, axis=-1, keepdim=true)
        VecF32_8x1 y_1(rows0_valid); TASSIGN<0x20000>(y_1);  // UB 0x20000..0x20020
        VecF32_8x128 y_1_tmp(rows0_valid); TASSIGN<0x20020>(y_1_tmp);  // UB 0x20020..0x20820
        pipe_barrier(PIPE_V);
        TROWSUM(y_1, e, y_1_tmp);
        VecF32_8x4096 y_tile(rows0_valid); TASSIGN(y_tile, 0x00000 + rows0_buffer * 0x10000);  // UB 0x00000..0x20000, 2 copies
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
