// quantise_a: vector kernel of `glm_shared_expert` for a2a3. Made by pyptogen; change the spec, not this file.
// stages quantise_a; tiles t 4; memory UB 110720 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x1536 = Tile<TileType::Vec, float, 8, 1536, BLayout::RowMajor, DYNAMIC, 1536>;
using VecF32_8x1536_c768 = Tile<TileType::Vec, float, 8, 1536, BLayout::RowMajor, DYNAMIC, 768>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_8x128 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_8x1536 = Tile<TileType::Vec, int32_t, 8, 1536, BLayout::RowMajor, DYNAMIC, 1536>;
using VecF16_8x1536 = Tile<TileType::Vec, half, 8, 1536, BLayout::RowMajor, DYNAMIC, 1536>;
using VecI8_8x1536 = Tile<TileType::Vec, int8_t, 8, 1536, BLayout::RowMajor, DYNAMIC, 1536>;
using AGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1536>, Stride<1, 1, 1, 1536, 1>>;
using AQGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 1536>, Stride<1, 1, 1, 1536, 1>>;
using AScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ int8_t *a_q,
    __gm__ float *a_scale,
    __gm__ float *a,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 4; t0 < t_end; t0 += nblk * 4, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 4 ? t_end - t0 : 4;
        // m: maximum(amax(abs(v), axis=-1, keepdim=true), 1.0e-30)
        VecF32_8x1536 a_tile(t0_valid); TASSIGN(a_tile, 0x00000 + t0_buffer * 0x06000);  // UB 0x00000..0x0c000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        AGm a_in(a + int64_t(t0) * 1536, {t0_valid});
        TLOAD(a_tile, a_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_8x1536 a_q_m_1(t0_valid); TASSIGN<0x0f040>(a_q_m_1);  // UB 0x0f040..0x15040
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TABS(a_q_m_1, a_tile);
        VecF32_8x1536_c768 a_q_m_1_768(t0_valid); TASSIGN<0x0f040>(a_q_m_1_768);  // columns 0.. of a_q_m_1
        VecF32_8x1536_c768 a_q_m_1_from_768(t0_valid); TASSIGN<0x0fc40>(a_q_m_1_from_768);  // columns 768.. of a_q_m_1
        pipe_barrier(PIPE_V);
        TMAX(a_q_m_1_768, a_q_m_1_768, a_q_m_1_from_768);
        VecF32_8x1 a_q_m_2(t0_valid); TASSIGN<0x15040>(a_q_m_2);  // UB 0x15040..0x15060
        VecF32_8x128 a_q_m_2_tmp(t0_valid); TASSIGN<0x15060>(a_q_m_2_tmp);  // UB 0x15060..0x15860
        pipe_barrier(PIPE_V);
        TROWMAX(a_q_m_2, a_q_m_1_768, a_q_m_2_tmp);
        VecF32_1x8 a_q_m_row(t0_valid); TASSIGN<0x0f040>(a_q_m_row);  // as a row, same bytes as a_q_m
        VecF32_1x8 a_q_m_2_row(t0_valid); TASSIGN<0x15040>(a_q_m_2_row);  // as a row, same bytes as a_q_m_2
        pipe_barrier(PIPE_V);
        TMAXS(a_q_m_row, a_q_m_2_row, 1e-30f);
        // return: [cast(v * (127 / m), int8, mode=rint), m * 0.007874015748031496]
        VecF32_1x8 a_q_1_row(t0_valid); TASSIGN<0x0f060>(a_q_1_row);  // as a row, same bytes as a_q_1
        pipe_barrier(PIPE_V);
        TDIVS(a_q_1_row, 127.0f, a_q_m_row);
        VecF32_8x1536 a_q_2(t0_valid); TASSIGN<0x0f080>(a_q_2);  // UB 0x0f080..0x15080
        VecF32_8x1 a_q_1(t0_valid); TASSIGN<0x0f060>(a_q_1);  // UB 0x0f060..0x0f080
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(a_q_2, a_tile, a_q_1);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecI32_8x1536 a_q_tile_int32(t0_valid); TASSIGN<0x15080>(a_q_tile_int32);  // UB 0x15080..0x1b080
        pipe_barrier(PIPE_V);
        TCVT(a_q_tile_int32, a_q_2, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF16_8x1536 a_q_tile_fp16(t0_valid); TASSIGN<0x0f060>(a_q_tile_fp16);  // UB 0x0f060..0x12060
        pipe_barrier(PIPE_V);
        TCVT(a_q_tile_fp16, a_q_tile_int32, RoundMode::CAST_NONE, SaturationMode::ON);
        VecI8_8x1536 a_q_tile(t0_valid); TASSIGN(a_q_tile, 0x0c000 + t0_buffer * 0x01800);  // UB 0x0c000..0x0f000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCVT(a_q_tile, a_q_tile_fp16, RoundMode::CAST_NONE, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_buffer));
        VecF32_1x8 a_scale_tile_row(t0_valid); TASSIGN(a_scale_tile_row, 0x0f000 + t0_buffer * 0x00020);  // as a row, same bytes as a_scale_tile
        TMULS(a_scale_tile_row, a_q_m_row, 0.007874016f);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_buffer));
        AQGm a_q_out(a_q + int64_t(t0) * 1536, {t0_valid});
        TSTORE(a_q_out, a_q_tile);
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        AScaleGm a_scale_out(a_scale + int64_t(t0), {t0_valid});
        TSTORE(a_scale_out, a_scale_tile_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void quantise_a(
    __gm__ int8_t *a_q, __gm__ float *a_scale, __gm__ float *a, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(a_q, a_scale, a, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
