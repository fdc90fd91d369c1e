// statistics: vector kernel of `softmax_long` for a2a3. Made by pyptogen; change the spec, not this file.
// stages statistics; tiles j 1024, rows 8; memory UB 102592 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x1024 = Tile<TileType::Vec, float, 8, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_8x128 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 16384, 1>>;
using TopGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ float *top,
    __gm__ float *total,
    __gm__ float *x,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t i0_buffer = 0;  // which of 2 buffers this iteration of i0 uses
    int32_t j0_buffer = 0;  // which of 2 buffers this iteration of j0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t i0 = rows_begin + block * 8; i0 < rows_end; i0 += nblk * 8, i0_buffer ^= 1) {
        const int32_t i0_valid = rows_end - i0 < 8 ? rows_end - i0 : 8;
        // m: full(-inf, [i, 1], fp32)
        VecF32_1x8 m_row(i0_valid); TASSIGN(m_row, 0x00000 + i0_buffer * 0x00020);  // as a row, same bytes as m
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i0_buffer));  // free again
        TEXPANDS(m_row, -__builtin_inff());
        // l: full(0, [i, 1], fp32)
        VecF32_1x8 l_row(i0_valid); TASSIGN(l_row, 0x00040 + i0_buffer * 0x00020);  // as a row, same bytes as l
        TEXPANDS(l_row, 0.0f);
        for (int32_t j0 = 0; j0 < 16384; j0 += 1024, j0_buffer ^= 1) {
            // xt: load(x[8*i:8*i+8, chunk*j:chunk*j+chunk])
            VecF32_8x1024 xt(i0_valid); TASSIGN(xt, 0x00080 + j0_buffer * 0x08000);  // UB 0x00080..0x10080, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(j0_buffer));  // free again
            XGm x_in(x + int64_t(i0) * 16384 + int64_t(j0), {i0_valid});
            TLOAD(xt, x_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(j0_buffer));
            // larger: maximum(m, rowmax(xt))
            VecF32_8x1 larger(i0_valid); TASSIGN<0x10080>(larger);  // UB 0x10080..0x100a0
            VecF32_8x128 larger_tmp(i0_valid); TASSIGN<0x100a0>(larger_tmp);  // UB 0x100a0..0x110a0
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(j0_buffer));
            TROWMAX(larger, xt, larger_tmp);
            VecF32_1x8 larger_2_row(i0_valid); TASSIGN<0x10080>(larger_2_row);  // as a row, same bytes as larger_2
            VecF32_1x8 larger_row(i0_valid); TASSIGN<0x10080>(larger_row);  // as a row, same bytes as larger
            pipe_barrier(PIPE_V);
            TMAX(larger_2_row, m_row, larger_row);
            // part: rowsum(exp(xt - larger))
            VecF32_8x1024 part(i0_valid); TASSIGN<0x100a0>(part);  // UB 0x100a0..0x180a0
            VecF32_8x1 larger_2(i0_valid); TASSIGN<0x10080>(larger_2);  // UB 0x10080..0x100a0
            pipe_barrier(PIPE_V);
            TROWEXPANDSUB(part, xt, larger_2);
            set_flag(PIPE_V, PIPE_MTE2, event_t(j0_buffer));
            pipe_barrier(PIPE_V);
            TEXP(part, part);
            VecF32_8x1 part_3(i0_valid); TASSIGN<0x180a0>(part_3);  // UB 0x180a0..0x180c0
            VecF32_8x128 part_3_tmp(i0_valid); TASSIGN<0x180c0>(part_3_tmp);  // UB 0x180c0..0x190c0
            pipe_barrier(PIPE_V);
            TROWSUM(part_3, part, part_3_tmp);
            // l: l * exp(m - larger) + part
            VecF32_1x8 l_2_row(i0_valid); TASSIGN<0x100a0>(l_2_row);  // as a row, same bytes as l_2
            pipe_barrier(PIPE_V);
            TSUB(l_2_row, m_row, larger_2_row);
            VecF32_1x8 l_3_row(i0_valid); TASSIGN<0x100a0>(l_3_row);  // as a row, same bytes as l_3
            pipe_barrier(PIPE_V);
            TEXP(l_3_row, l_2_row);
            VecF32_1x8 l_4_row(i0_valid); TASSIGN<0x100a0>(l_4_row);  // as a row, same bytes as l_4
            pipe_barrier(PIPE_V);
            TMUL(l_4_row, l_row, l_3_row);
            VecF32_1x8 part_3_row(i0_valid); TASSIGN<0x180a0>(part_3_row);  // as a row, same bytes as part_3
            pipe_barrier(PIPE_V);
            TADD(l_row, l_4_row, part_3_row);
            // m: copy(larger)
            TMOV(m_row, larger_2_row);
        }
        set_flag(PIPE_V, PIPE_MTE3, event_t(i0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i0_buffer));
        // store(m, top[8*i:8*i+8, :])
        TopGm top_out(top + int64_t(i0), {i0_valid});
        TSTORE(top_out, m_row);
        // store(l, total[8*i:8*i+8, :])
        TopGm total_out(total + int64_t(i0), {i0_valid});
        TSTORE(total_out, l_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void statistics(
    __gm__ float *top, __gm__ float *total, __gm__ float *x, int32_t rows_begin, int32_t rows_end, int32_t nblk)
{
    run_block(top, total, x, rows_begin, rows_end, nblk, static_cast<int32_t>(get_block_idx()));
}
