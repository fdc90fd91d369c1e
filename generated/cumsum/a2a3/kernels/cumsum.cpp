// cumsum: vector kernel of `cumsum` for a2a3. Made by pyptogen; change the spec, not this file.
// stages cumsum; tiles i1 768, i2 1; memory UB 129024 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x768 = Tile<TileType::Vec, float, 1, 768, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_768x8_c1 = Tile<TileType::Vec, float, 768, 8, BLayout::RowMajor, DYNAMIC, 1>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, 1024, 1>>;

AICORE inline void run_block(
    __gm__ float *y,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t i2_buffer = 0;  // which of 2 buffers this iteration of i2 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t i1 = block * 768; i1 < rows; i1 += nblk * 768) {
        const int32_t i1_valid = rows - i1 < 768 ? rows - i1 : 768;
        // y: cumsum(x, axis=-1)
        VecF32_1x768 total_row(i1_valid); TASSIGN<0x18000>(total_row);  // as a row, same bytes as total
        pipe_barrier(PIPE_V);
        TEXPANDS(total_row, 0.0f);
        for (int32_t i2 = 0; i2 < 1024; ++i2, i2_buffer ^= 1) {
            VecF32_768x8_c1 part_apart(i1_valid); TASSIGN(part_apart, 0x00000 + i2_buffer * 0x06000);  // UB 0x00000..0x0c000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));  // free again
            XGm x_in(x + int64_t(i1) * 1024 + int64_t(i2), {i1_valid});
            TLOAD(part_apart, x_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
            VecF32_1x768 part_row(i1_valid); TASSIGN<0x18c00>(part_row);  // as a row, same bytes as part
            VecF32_768x8_c1 part_apart_tmp(i1_valid); TASSIGN<0x19800>(part_apart_tmp);  // UB 0x19800..0x1f800
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
            TTRANS(part_row, part_apart, part_apart_tmp);
            set_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));
            pipe_barrier(PIPE_V);
            TADD(total_row, total_row, part_row);
            VecF32_768x8_c1 total_apart(i1_valid); TASSIGN(total_apart, 0x0c000 + i2_buffer * 0x06000);  // UB 0x0c000..0x18000, 2 copies
            VecF32_768x8_c1 total_apart_tmp(i1_valid); TASSIGN<0x18c00>(total_apart_tmp);  // UB 0x18c00..0x1ec00
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, event_t(i2_buffer));  // free again
            TTRANS(total_apart, total_row, total_apart_tmp);
            set_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
            XGm y_out(y + int64_t(i1) * 1024 + int64_t(i2), {i1_valid});
            TSTORE(y_out, total_apart);
            set_flag(PIPE_MTE3, PIPE_V, event_t(i2_buffer));
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void cumsum(__gm__ float *y, __gm__ float *x, int32_t rows, int32_t nblk)
{
    run_block(y, x, rows, nblk, static_cast<int32_t>(get_block_idx()));
}
