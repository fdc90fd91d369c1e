// dequant_per_token: vector kernel of `dequant_per_token` for a2a3. Made by pyptogen; change the spec, not this file.
// stages dequant_per_token; tiles rows 4; memory UB 163904 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI8_8x4096 = Tile<TileType::Vec, int8_t, 8, 4096, BLayout::RowMajor, DYNAMIC, 4096>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecF16_8x4096 = Tile<TileType::Vec, half, 8, 4096, BLayout::RowMajor, DYNAMIC, 4096>;
using VecF32_8x4096 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, DYNAMIC, 4096>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecB16_8x4096 = Tile<TileType::Vec, bfloat16_t, 8, 4096, BLayout::RowMajor, DYNAMIC, 4096>;
using QGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 4096>, Stride<1, 1, 1, 4096, 1>>;
using ScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 4096>, Stride<1, 1, 1, 4096, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y,
    __gm__ int8_t *q,
    __gm__ float *scale,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t rows0_buffer = 0;  // which of 2 buffers this iteration of rows0 uses
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t rows0 = rows_begin + block * 4; rows0 < rows_end; rows0 += nblk * 4, rows0_buffer ^= 1) {
        const int32_t rows0_valid = rows_end - rows0 < 4 ? rows_end - rows0 : 4;
        // y: cast(cast(q, fp32) * scale, bf16)
        VecI8_8x4096 q_tile(rows0_valid); TASSIGN(q_tile, 0x00000 + rows0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + rows0_buffer));  // free again
        QGm q_in(q + int64_t(rows0) * 4096, {rows0_valid});
        TLOAD(q_tile, q_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + rows0_buffer));
        VecF32_1x8 scale_tile_row(rows0_valid); TASSIGN(scale_tile_row, 0x08000 + rows0_buffer * 0x00020);  // as a row, same bytes as scale_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));  // free again
        ScaleGm scale_in(scale + int64_t(rows0), {rows0_valid});
        TLOAD(scale_tile_row, scale_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        VecF16_8x4096 y_1_fp16(rows0_valid); TASSIGN<0x10040>(y_1_fp16);  // UB 0x10040..0x18040
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + rows0_buffer));
        TCVT(y_1_fp16, q_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + rows0_buffer));
        VecF32_8x4096 y_1(rows0_valid); TASSIGN(y_1, 0x18040);  // UB 0x18040..0x28040
        pipe_barrier(PIPE_V);
        TCVT(y_1, y_1_fp16, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_8x1 scale_tile(rows0_valid); TASSIGN(scale_tile, 0x08000 + rows0_buffer * 0x00020);  // UB 0x08000..0x08040, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        TROWEXPANDMUL(y_1, y_1, scale_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));
        VecB16_8x4096 y_tile(rows0_valid); TASSIGN<0x08040>(y_tile);  // UB 0x08040..0x10040
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TCVT(y_tile, y_1, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        YGm y_out(y + int64_t(rows0) * 4096, {rows0_valid});
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void dequant_per_token(
    __gm__ bfloat16_t *y, __gm__ int8_t *q, __gm__ float *scale, int32_t rows_begin, int32_t rows_end, int32_t nblk)
{
    run_block(y, q, scale, rows_begin, rows_end, nblk, static_cast<int32_t>(get_block_idx()));
}
