// norm: vector kernel of `glm_attention_pre` for a2a3. Made by pyptogen; change the spec, not this file.
// stages norm; tiles t 1; memory UB 143968 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x5120 = Tile<TileType::Vec, bfloat16_t, 1, 5120, BLayout::RowMajor, 1, 5120>;
using VecF32_1x5120 = Tile<TileType::Vec, float, 1, 5120, BLayout::RowMajor, 1, 5120>;
using VecB16_8x5120_r1 = Tile<TileType::Vec, bfloat16_t, 8, 5120, BLayout::RowMajor, 1, 5120>;
using VecF32_8x5120_r1 = Tile<TileType::Vec, float, 8, 5120, BLayout::RowMajor, 1, 5120>;
using VecF32_8x5120_c2560_r1 = Tile<TileType::Vec, float, 8, 5120, BLayout::RowMajor, 1, 2560>;
using VecF32_8x5120_c1280_r1 = Tile<TileType::Vec, float, 8, 5120, BLayout::RowMajor, 1, 1280>;
using VecF32_8x1_r1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1>;
using VecF32_8x128_r1 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, 1, 128>;
using VecF32_1x8_c1 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;
using VecI32_8x5120_r1 = Tile<TileType::Vec, int32_t, 8, 5120, BLayout::RowMajor, 1, 5120>;
using VecF16_8x5120_r1 = Tile<TileType::Vec, half, 8, 5120, BLayout::RowMajor, 1, 5120>;
using VecI8_8x5120_r1 = Tile<TileType::Vec, int8_t, 8, 5120, BLayout::RowMajor, 1, 5120>;
using GammaGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 5120>, Stride<1, 1, 1, 1, 1>>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 5120>, Stride<1, 1, 1, 5120, 1>>;
using NQGm = GlobalTensor<int8_t, Shape<1, 1, 1, 1, 5120>, Stride<1, 1, 1, 5120, 1>>;
using NScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *sum,
    __gm__ int8_t *n_q,
    __gm__ float *n_scale,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *residual,
    __gm__ bfloat16_t *gamma,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    // n_q, n_scale: quantise(rms_norm(s, cast(gamma, fp32), eps=eps))
    VecB16_1x5120 gamma_tile; TASSIGN<0x0f000>(gamma_tile);  // UB 0x0f000..0x11800
    GammaGm gamma_in(gamma);
    TLOAD(gamma_tile, gamma_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
    VecF32_1x5120 n_q_1; TASSIGN<0x14040>(n_q_1);  // UB 0x14040..0x19040
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
    TCVT(n_q_1, gamma_tile, RoundMode::CAST_RINT, SaturationMode::ON);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk, t0_buffer ^= 1) {
        // s: cast(x, fp32) + cast(residual, fp32)
        VecB16_8x5120_r1 x_tile; TASSIGN(x_tile, 0x00000 + t0_buffer * 0x02800);  // UB 0x00000..0x05000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        XGm x_in(x + int64_t(t0) * 5120);
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        VecB16_8x5120_r1 residual_tile; TASSIGN(residual_tile, 0x05000 + t0_buffer * 0x02800);  // UB 0x05000..0x0a000, 2 copies
        XGm residual_in(residual + int64_t(t0) * 5120);
        TLOAD(residual_tile, residual_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_8x5120_r1 s; TASSIGN(s, 0x19040);  // UB 0x19040..0x1e040
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        TCVT(s, x_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_8x5120_r1 s_2; TASSIGN(s_2, 0x1e040);  // UB 0x1e040..0x23040
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TCVT(s_2, residual_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        pipe_barrier(PIPE_V);
        TADD(s, s, s_2);
        // sum: cast(s, bf16)
        VecB16_8x5120_r1 sum_tile; TASSIGN(sum_tile, 0x0a000 + t0_buffer * 0x02800);  // UB 0x0a000..0x0f000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + t0_buffer));  // free again
        TCVT(sum_tile, s, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(4 + t0_buffer));
        // n_q, n_scale: quantise(rms_norm(s, cast(gamma, fp32), eps=eps))
        VecF32_8x5120_r1 n_q_square; TASSIGN(n_q_square, 0x1e040);  // UB 0x1e040..0x23040
        TMUL(n_q_square, s, s);
        VecF32_8x5120_r1 n_q_var_part; TASSIGN(n_q_var_part, 0x1e040);  // UB 0x1e040..0x23040
        pipe_barrier(PIPE_V);
        TMULS(n_q_var_part, n_q_square, 0.0001953125f);
        VecF32_8x5120_c2560_r1 n_q_var_part_2560; TASSIGN(n_q_var_part_2560, 0x1e040);  // columns 0.. of n_q_var_part
        VecF32_8x5120_c2560_r1 n_q_var_part_from_2560; TASSIGN(n_q_var_part_from_2560, 0x20840);  // columns 2560.. of n_q_var_part
        pipe_barrier(PIPE_V);
        TADD(n_q_var_part_2560, n_q_var_part_2560, n_q_var_part_from_2560);
        VecF32_8x5120_c1280_r1 n_q_var_part_1280; TASSIGN(n_q_var_part_1280, 0x1e040);  // columns 0.. of n_q_var_part
        VecF32_8x5120_c1280_r1 n_q_var_part_from_1280; TASSIGN(n_q_var_part_from_1280, 0x1f440);  // columns 1280.. of n_q_var_part
        pipe_barrier(PIPE_V);
        TADD(n_q_var_part_1280, n_q_var_part_1280, n_q_var_part_from_1280);
        VecF32_8x1_r1 n_q_var; TASSIGN<0x23040>(n_q_var);  // UB 0x23040..0x23060
        VecF32_8x128_r1 n_q_var_tmp; TASSIGN<0x23060>(n_q_var_tmp);  // UB 0x23060..0x23260
        pipe_barrier(PIPE_V);
        TROWSUM(n_q_var, n_q_var_part_1280, n_q_var_tmp);
        VecF32_1x8_c1 n_q_var_eps_row; TASSIGN<0x1e040>(n_q_var_eps_row);  // as a row, same bytes as n_q_var_eps
        VecF32_1x8_c1 n_q_var_row; TASSIGN<0x23040>(n_q_var_row);  // as a row, same bytes as n_q_var
        pipe_barrier(PIPE_V);
        TADDS(n_q_var_eps_row, n_q_var_row, eps);
        VecF32_1x8_c1 n_q_std_row; TASSIGN<0x1e040>(n_q_std_row);  // as a row, same bytes as n_q_std
        pipe_barrier(PIPE_V);
        TSQRT(n_q_std_row, n_q_var_eps_row);
        VecF32_8x5120_r1 n_q_unit; TASSIGN(n_q_unit, 0x19040);  // UB 0x19040..0x1e040
        VecF32_8x1_r1 n_q_std; TASSIGN<0x1e040>(n_q_std);  // UB 0x1e040..0x1e060
        pipe_barrier(PIPE_V);
        TROWEXPANDDIV(n_q_unit, s, n_q_std);
        VecF32_8x5120_r1 n_q_3; TASSIGN(n_q_3, 0x19040);  // UB 0x19040..0x1e040
        pipe_barrier(PIPE_V);
        TCOLEXPANDMUL(n_q_3, n_q_unit, n_q_1);
        // m: maximum(amax(abs(v), axis=-1, keepdim=true), 1.0e-30)
        VecF32_8x5120_r1 n_q_m_1; TASSIGN(n_q_m_1, 0x1e040);  // UB 0x1e040..0x23040
        pipe_barrier(PIPE_V);
        TABS(n_q_m_1, n_q_3);
        VecF32_8x5120_c2560_r1 n_q_m_1_2560; TASSIGN(n_q_m_1_2560, 0x1e040);  // columns 0.. of n_q_m_1
        VecF32_8x5120_c2560_r1 n_q_m_1_from_2560; TASSIGN(n_q_m_1_from_2560, 0x20840);  // columns 2560.. of n_q_m_1
        pipe_barrier(PIPE_V);
        TMAX(n_q_m_1_2560, n_q_m_1_2560, n_q_m_1_from_2560);
        VecF32_8x5120_c1280_r1 n_q_m_1_1280; TASSIGN(n_q_m_1_1280, 0x1e040);  // columns 0.. of n_q_m_1
        VecF32_8x5120_c1280_r1 n_q_m_1_from_1280; TASSIGN(n_q_m_1_from_1280, 0x1f440);  // columns 1280.. of n_q_m_1
        pipe_barrier(PIPE_V);
        TMAX(n_q_m_1_1280, n_q_m_1_1280, n_q_m_1_from_1280);
        VecF32_8x1_r1 n_q_m_2; TASSIGN<0x23040>(n_q_m_2);  // UB 0x23040..0x23060
        VecF32_8x128_r1 n_q_m_2_tmp; TASSIGN<0x23060>(n_q_m_2_tmp);  // UB 0x23060..0x23260
        pipe_barrier(PIPE_V);
        TROWMAX(n_q_m_2, n_q_m_1_1280, n_q_m_2_tmp);
        VecF32_1x8_c1 n_q_m_row; TASSIGN<0x1e040>(n_q_m_row);  // as a row, same bytes as n_q_m
        VecF32_1x8_c1 n_q_m_2_row; TASSIGN<0x23040>(n_q_m_2_row);  // as a row, same bytes as n_q_m_2
        pipe_barrier(PIPE_V);
        TMAXS(n_q_m_row, n_q_m_2_row, 1e-30f);
        // return: [cast(v * (127 / m), int8, mode=rint), m * 0.007874015748031496]
        VecF32_1x8_c1 n_q_4_row; TASSIGN<0x1e060>(n_q_4_row);  // as a row, same bytes as n_q_4
        pipe_barrier(PIPE_V);
        TDIVS(n_q_4_row, 127.0f, n_q_m_row);
        VecF32_8x5120_r1 n_q_5; TASSIGN(n_q_5, 0x19040);  // UB 0x19040..0x1e040
        VecF32_8x1_r1 n_q_4; TASSIGN<0x1e060>(n_q_4);  // UB 0x1e060..0x1e080
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(n_q_5, n_q_3, n_q_4);
        VecI32_8x5120_r1 n_q_tile_int32; TASSIGN(n_q_tile_int32, 0x1e060);  // UB 0x1e060..0x23060
        pipe_barrier(PIPE_V);
        TCVT(n_q_tile_int32, n_q_5, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF16_8x5120_r1 n_q_tile_fp16; TASSIGN<0x19040>(n_q_tile_fp16);  // UB 0x19040..0x1b840
        pipe_barrier(PIPE_V);
        TCVT(n_q_tile_fp16, n_q_tile_int32, RoundMode::CAST_NONE, SaturationMode::ON);
        VecI8_8x5120_r1 n_q_tile; TASSIGN(n_q_tile, 0x11800 + t0_buffer * 0x01400);  // UB 0x11800..0x14000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCVT(n_q_tile, n_q_tile_fp16, RoundMode::CAST_NONE, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_buffer));
        VecF32_1x8_c1 n_scale_tile_row; TASSIGN(n_scale_tile_row, 0x14000 + t0_buffer * 0x00020);  // as a row, same bytes as n_scale_tile
        TMULS(n_scale_tile_row, n_q_m_row, 0.007874016f);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(4 + t0_buffer));
        // sum: cast(s, bf16)
        XGm sum_out(sum + int64_t(t0) * 5120);
        TSTORE(sum_out, sum_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_buffer));
        // return: [cast(v * (127 / m), int8, mode=rint), m * 0.007874015748031496]
        NQGm n_q_out(n_q + int64_t(t0) * 5120);
        TSTORE(n_q_out, n_q_tile);
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        NScaleGm n_scale_out(n_scale + int64_t(t0));
        TSTORE(n_scale_out, n_scale_tile_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void norm(
    __gm__ bfloat16_t *sum, __gm__ int8_t *n_q, __gm__ float *n_scale, __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *residual, __gm__ bfloat16_t *gamma, float eps, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(
        sum, n_q, n_scale, x, residual, gamma, eps, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
