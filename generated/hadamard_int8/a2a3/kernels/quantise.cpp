// quantise: vector kernel of `hadamard_int8` for a2a3. Made by pyptogen; change the spec, not this file.
// stages quantise; tiles rows 64; memory UB 148480 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_64x128 = Tile<TileType::Vec, int32_t, 64, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF16_64x128 = Tile<TileType::Vec, half, 64, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecI8_64x128 = Tile<TileType::Vec, int8_t, 64, 128, BLayout::RowMajor, DYNAMIC, 128>;
using RGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using QGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using ScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ int8_t *q,
    __gm__ float *scale,
    __gm__ float *r,
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
    for (int32_t rows0 = rows_begin + block * 64; rows0 < rows_end; rows0 += nblk * 64, rows0_buffer ^= 1) {
        const int32_t rows0_valid = rows_end - rows0 < 64 ? rows_end - rows0 : 64;
        // m: maximum(amax(abs(r), axis=-1, keepdim=true), 1.0e-30)
        VecF32_64x128 r_tile(rows0_valid); TASSIGN(r_tile, 0x00000 + rows0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));  // free again
        RGm r_in(r + int64_t(rows0) * 128, {rows0_valid});
        TLOAD(r_tile, r_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        VecF32_64x128 m_1(rows0_valid); TASSIGN<0x14200>(m_1);  // UB 0x14200..0x1c200
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        TABS(m_1, r_tile);
        VecF32_64x1 m_2(rows0_valid); TASSIGN<0x1c200>(m_2);  // UB 0x1c200..0x1c300
        VecF32_64x128 m_2_tmp(rows0_valid); TASSIGN<0x1c300>(m_2_tmp);  // UB 0x1c300..0x24300
        pipe_barrier(PIPE_V);
        TROWMAX(m_2, m_1, m_2_tmp);
        VecF32_1x64 m_row(rows0_valid); TASSIGN<0x14200>(m_row);  // as a row, same bytes as m
        VecF32_1x64 m_2_row(rows0_valid); TASSIGN<0x1c200>(m_2_row);  // as a row, same bytes as m_2
        pipe_barrier(PIPE_V);
        TMAXS(m_row, m_2_row, 1e-30f);
        // q: cast(r * (127 / m), int8, mode=rint)
        VecF32_1x64 q_1_row(rows0_valid); TASSIGN<0x14300>(q_1_row);  // as a row, same bytes as q_1
        pipe_barrier(PIPE_V);
        TDIVS(q_1_row, 127.0f, m_row);
        VecF32_64x128 q_2(rows0_valid); TASSIGN<0x14400>(q_2);  // UB 0x14400..0x1c400
        VecF32_64x1 q_1(rows0_valid); TASSIGN<0x14300>(q_1);  // UB 0x14300..0x14400
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(q_2, r_tile, q_1);
        set_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));
        VecI32_64x128 q_tile_int32(rows0_valid); TASSIGN<0x1c400>(q_tile_int32);  // UB 0x1c400..0x24400
        pipe_barrier(PIPE_V);
        TCVT(q_tile_int32, q_2, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF16_64x128 q_tile_fp16(rows0_valid); TASSIGN<0x14300>(q_tile_fp16);  // UB 0x14300..0x18300
        pipe_barrier(PIPE_V);
        TCVT(q_tile_fp16, q_tile_int32, RoundMode::CAST_NONE, SaturationMode::ON);
        VecI8_64x128 q_tile(rows0_valid); TASSIGN(q_tile, 0x10000 + rows0_buffer * 0x02000);  // UB 0x10000..0x14000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));  // free again
        TCVT(q_tile, q_tile_fp16, RoundMode::CAST_NONE, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + rows0_buffer));
        // scale: m * 0.007874015748031496
        VecF32_1x64 scale_tile_row(rows0_valid); TASSIGN(scale_tile_row, 0x14000 + rows0_buffer * 0x00100);  // as a row, same bytes as scale_tile
        TMULS(scale_tile_row, m_row, 0.007874016f);
        set_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + rows0_buffer));
        // q: cast(r * (127 / m), int8, mode=rint)
        QGm q_out(q + int64_t(rows0) * 128, {rows0_valid});
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

extern "C" __global__ AICORE void quantise(
    __gm__ int8_t *q, __gm__ float *scale, __gm__ float *r, int32_t rows_begin, int32_t rows_end, int32_t nblk)
{
    run_block(q, scale, r, rows_begin, rows_end, nblk, static_cast<int32_t>(get_block_idx()));
}
