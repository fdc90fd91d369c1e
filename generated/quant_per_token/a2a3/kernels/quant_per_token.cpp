// quant_per_token: vector kernel of `quant_per_token` for a2a3. Made by pyptogen; change the spec, not this file.
// stages quant_per_token; tiles rows 2; memory UB 115808 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_8x4096 = Tile<TileType::Vec, bfloat16_t, 8, 4096, BLayout::RowMajor, DYNAMIC, 4096>;
using VecF32_8x4096 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, DYNAMIC, 4096>;
using VecF32_8x4096_c2048 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, DYNAMIC, 2048>;
using VecF32_8x4096_c1024 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, DYNAMIC, 1024>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_8x128 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_8x4096 = Tile<TileType::Vec, int32_t, 8, 4096, BLayout::RowMajor, DYNAMIC, 4096>;
using VecF16_8x4096 = Tile<TileType::Vec, half, 8, 4096, BLayout::RowMajor, DYNAMIC, 4096>;
using VecI8_8x4096 = Tile<TileType::Vec, int8_t, 8, 4096, BLayout::RowMajor, DYNAMIC, 4096>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 4096>, Stride<1, 1, 1, 4096, 1>>;
using QGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 4096>, Stride<1, 1, 1, 4096, 1>>;
using ScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ int8_t *q,
    __gm__ float *scale,
    __gm__ bfloat16_t *x,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t rows0_buffer = 0;  // which of 2 buffers this iteration of rows0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t rows0 = rows_begin + block * 2; rows0 < rows_end; rows0 += nblk * 2, rows0_buffer ^= 1) {
        const int32_t rows0_valid = rows_end - rows0 < 2 ? rows_end - rows0 : 2;
        // f: cast(x, fp32)
        VecB16_8x4096 x_tile(rows0_valid); TASSIGN(x_tile, 0x00000 + rows0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));  // free again
        XGm x_in(x + int64_t(rows0) * 4096, {rows0_valid});
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        VecF32_8x4096 f(rows0_valid); TASSIGN<0x0c040>(f);  // UB 0x0c040..0x14040
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        TCVT(f, x_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));
        // m: amax(abs(f), axis=-1, keepdim=true)
        VecF32_8x4096 m_1(rows0_valid); TASSIGN(m_1, 0x14040);  // UB 0x14040..0x1c040
        pipe_barrier(PIPE_V);
        TABS(m_1, f);
        VecF32_8x4096_c2048 m_1_2048(rows0_valid); TASSIGN(m_1_2048, 0x14040);  // columns 0.. of m_1
        VecF32_8x4096_c2048 m_1_from_2048(rows0_valid); TASSIGN(m_1_from_2048, 0x16040);  // columns 2048.. of m_1
        pipe_barrier(PIPE_V);
        TMAX(m_1_2048, m_1_2048, m_1_from_2048);
        VecF32_8x4096_c1024 m_1_1024(rows0_valid); TASSIGN(m_1_1024, 0x14040);  // columns 0.. of m_1
        VecF32_8x4096_c1024 m_1_from_1024(rows0_valid); TASSIGN(m_1_from_1024, 0x15040);  // columns 1024.. of m_1
        pipe_barrier(PIPE_V);
        TMAX(m_1_1024, m_1_1024, m_1_from_1024);
        VecF32_8x1 m(rows0_valid); TASSIGN<0x1c040>(m);  // UB 0x1c040..0x1c060
        VecF32_8x128 m_tmp(rows0_valid); TASSIGN<0x1c060>(m_tmp);  // UB 0x1c060..0x1c460
        pipe_barrier(PIPE_V);
        TROWMAX(m, m_1_1024, m_tmp);
        // q: cast(f * (127 / maximum(m, 1.0e-35)), int8, mode=rint)
        VecF32_1x8 q_1_row(rows0_valid); TASSIGN<0x14040>(q_1_row);  // as a row, same bytes as q_1
        VecF32_1x8 m_row(rows0_valid); TASSIGN<0x1c040>(m_row);  // as a row, same bytes as m
        pipe_barrier(PIPE_V);
        TMAXS(q_1_row, m_row, 1e-35f);
        VecF32_1x8 q_2_row(rows0_valid); TASSIGN<0x14060>(q_2_row);  // as a row, same bytes as q_2
        pipe_barrier(PIPE_V);
        TDIVS(q_2_row, 127.0f, q_1_row);
        VecF32_8x4096 q_3(rows0_valid); TASSIGN<0x0c040>(q_3);  // UB 0x0c040..0x14040
        VecF32_8x1 q_2(rows0_valid); TASSIGN<0x14060>(q_2);  // UB 0x14060..0x14080
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(q_3, f, q_2);
        VecI32_8x4096 q_tile_int32(rows0_valid); TASSIGN(q_tile_int32, 0x14040);  // UB 0x14040..0x1c040
        pipe_barrier(PIPE_V);
        TCVT(q_tile_int32, q_3, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF16_8x4096 q_tile_fp16(rows0_valid); TASSIGN<0x0c040>(q_tile_fp16);  // UB 0x0c040..0x10040
        pipe_barrier(PIPE_V);
        TCVT(q_tile_fp16, q_tile_int32, RoundMode::CAST_NONE, SaturationMode::ON);
        VecI8_8x4096 q_tile(rows0_valid); TASSIGN(q_tile, 0x08000 + rows0_buffer * 0x02000);  // UB 0x08000..0x0c000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));  // free again
        TCVT(q_tile, q_tile_fp16, RoundMode::CAST_NONE, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + rows0_buffer));
        // scale: m * 0.007874015748031496
        VecF32_1x8 scale_tile_row(rows0_valid); TASSIGN(scale_tile_row, 0x0c000 + rows0_buffer * 0x00020);  // as a row, same bytes as scale_tile
        TMULS(scale_tile_row, m_row, 0.007874016f);
        set_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + rows0_buffer));
        // q: cast(f * (127 / maximum(m, 1.0e-35)), int8, mode=rint)
        QGm q_out(q + int64_t(rows0) * 4096, {rows0_valid});
        TSTORE(q_out, q_tile);
        wait_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        // scale: m * 0.007874015748031496
        ScaleGm scale_out(scale + int64_t(rows0), {rows0_valid});
        TSTORE(scale_out, scale_tile_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void quant_per_token(
    __gm__ int8_t *q, __gm__ float *scale, __gm__ bfloat16_t *x, int32_t rows_begin, int32_t rows_end, int32_t nblk)
{
    run_block(q, scale, x, rows_begin, rows_end, nblk, static_cast<int32_t>(get_block_idx()));
}
