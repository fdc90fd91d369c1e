// quantise_x: vector kernel of `glm_shared_expert` for a2a3. Made by pyptogen; change the spec, not this file.
// stages quantise_x; tiles t 2; memory UB 144480 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_8x5120 = Tile<TileType::Vec, bfloat16_t, 8, 5120, BLayout::RowMajor, DYNAMIC, 5120>;
using VecF32_8x5120 = Tile<TileType::Vec, float, 8, 5120, BLayout::RowMajor, DYNAMIC, 5120>;
using VecF32_8x5120_c2560 = Tile<TileType::Vec, float, 8, 5120, BLayout::RowMajor, DYNAMIC, 2560>;
using VecF32_8x5120_c1280 = Tile<TileType::Vec, float, 8, 5120, BLayout::RowMajor, DYNAMIC, 1280>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_8x128 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_8x5120 = Tile<TileType::Vec, int32_t, 8, 5120, BLayout::RowMajor, DYNAMIC, 5120>;
using VecF16_8x5120 = Tile<TileType::Vec, half, 8, 5120, BLayout::RowMajor, DYNAMIC, 5120>;
using VecI8_8x5120 = Tile<TileType::Vec, int8_t, 8, 5120, BLayout::RowMajor, DYNAMIC, 5120>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 5120>, Stride<1, 1, 1, 5120, 1>>;
using XQGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 5120>, Stride<1, 1, 1, 5120, 1>>;
using XScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ int8_t *x_q,
    __gm__ float *x_scale,
    __gm__ bfloat16_t *x,
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
    for (int32_t t0 = t_begin + block * 2; t0 < t_end; t0 += nblk * 2, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 2 ? t_end - t0 : 2;
        // x_q, x_scale: quantise(cast(x, fp32))
        VecB16_8x5120 x_tile(t0_valid); TASSIGN(x_tile, 0x00000 + t0_buffer * 0x05000);  // UB 0x00000..0x0a000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        XGm x_in(x + int64_t(t0) * 5120, {t0_valid});
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_8x5120 x_q_1(t0_valid); TASSIGN(x_q_1, 0x0f040);  // UB 0x0f040..0x19040
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TCVT(x_q_1, x_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        // m: maximum(amax(abs(v), axis=-1, keepdim=true), 1.0e-30)
        VecF32_8x5120 x_q_m_1(t0_valid); TASSIGN(x_q_m_1, 0x19040);  // UB 0x19040..0x23040
        pipe_barrier(PIPE_V);
        TABS(x_q_m_1, x_q_1);
        VecF32_8x5120_c2560 x_q_m_1_2560(t0_valid); TASSIGN(x_q_m_1_2560, 0x19040);  // columns 0.. of x_q_m_1
        VecF32_8x5120_c2560 x_q_m_1_from_2560(t0_valid); TASSIGN(x_q_m_1_from_2560, 0x1b840);  // columns 2560.. of x_q_m_1
        pipe_barrier(PIPE_V);
        TMAX(x_q_m_1_2560, x_q_m_1_2560, x_q_m_1_from_2560);
        VecF32_8x5120_c1280 x_q_m_1_1280(t0_valid); TASSIGN(x_q_m_1_1280, 0x19040);  // columns 0.. of x_q_m_1
        VecF32_8x5120_c1280 x_q_m_1_from_1280(t0_valid); TASSIGN(x_q_m_1_from_1280, 0x1a440);  // columns 1280.. of x_q_m_1
        pipe_barrier(PIPE_V);
        TMAX(x_q_m_1_1280, x_q_m_1_1280, x_q_m_1_from_1280);
        VecF32_8x1 x_q_m_2(t0_valid); TASSIGN<0x23040>(x_q_m_2);  // UB 0x23040..0x23060
        VecF32_8x128 x_q_m_2_tmp(t0_valid); TASSIGN<0x23060>(x_q_m_2_tmp);  // UB 0x23060..0x23460
        pipe_barrier(PIPE_V);
        TROWMAX(x_q_m_2, x_q_m_1_1280, x_q_m_2_tmp);
        VecF32_1x8 x_q_m_row(t0_valid); TASSIGN<0x19040>(x_q_m_row);  // as a row, same bytes as x_q_m
        VecF32_1x8 x_q_m_2_row(t0_valid); TASSIGN<0x23040>(x_q_m_2_row);  // as a row, same bytes as x_q_m_2
        pipe_barrier(PIPE_V);
        TMAXS(x_q_m_row, x_q_m_2_row, 1e-30f);
        // return: [cast(v * (127 / m), int8, mode=rint), m * 0.007874015748031496]
        VecF32_1x8 x_q_2_row(t0_valid); TASSIGN<0x19060>(x_q_2_row);  // as a row, same bytes as x_q_2
        pipe_barrier(PIPE_V);
        TDIVS(x_q_2_row, 127.0f, x_q_m_row);
        VecF32_8x5120 x_q_3(t0_valid); TASSIGN(x_q_3, 0x0f040);  // UB 0x0f040..0x19040
        VecF32_8x1 x_q_2(t0_valid); TASSIGN<0x19060>(x_q_2);  // UB 0x19060..0x19080
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(x_q_3, x_q_1, x_q_2);
        VecI32_8x5120 x_q_tile_int32(t0_valid); TASSIGN(x_q_tile_int32, 0x19060);  // UB 0x19060..0x23060
        pipe_barrier(PIPE_V);
        TCVT(x_q_tile_int32, x_q_3, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF16_8x5120 x_q_tile_fp16(t0_valid); TASSIGN<0x0f040>(x_q_tile_fp16);  // UB 0x0f040..0x14040
        pipe_barrier(PIPE_V);
        TCVT(x_q_tile_fp16, x_q_tile_int32, RoundMode::CAST_NONE, SaturationMode::ON);
        VecI8_8x5120 x_q_tile(t0_valid); TASSIGN(x_q_tile, 0x0a000 + t0_buffer * 0x02800);  // UB 0x0a000..0x0f000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCVT(x_q_tile, x_q_tile_fp16, RoundMode::CAST_NONE, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_buffer));
        VecF32_1x8 x_scale_tile_row(t0_valid); TASSIGN(x_scale_tile_row, 0x0f000 + t0_buffer * 0x00020);  // as a row, same bytes as x_scale_tile
        TMULS(x_scale_tile_row, x_q_m_row, 0.007874016f);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_buffer));
        XQGm x_q_out(x_q + int64_t(t0) * 5120, {t0_valid});
        TSTORE(x_q_out, x_q_tile);
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        XScaleGm x_scale_out(x_scale + int64_t(t0), {t0_valid});
        TSTORE(x_scale_out, x_scale_tile_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void quantise_x(
    __gm__ int8_t *x_q, __gm__ float *x_scale, __gm__ bfloat16_t *x, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(x_q, x_scale, x, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
