// query_norm: vector kernel of `mla_indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages query_norm; tiles t 8; memory UB 173120 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x1536 = Tile<TileType::Vec, bfloat16_t, 1, 1536, BLayout::RowMajor, 1, 1536>;
using VecF32_1x1536 = Tile<TileType::Vec, float, 1, 1536, BLayout::RowMajor, 1, 1536>;
using VecF32_8x1536 = Tile<TileType::Vec, float, 8, 1536, BLayout::RowMajor, DYNAMIC, 1536>;
using VecF32_8x1536_c768 = Tile<TileType::Vec, float, 8, 1536, BLayout::RowMajor, DYNAMIC, 768>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_8x128 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_8x1536 = Tile<TileType::Vec, int32_t, 8, 1536, BLayout::RowMajor, DYNAMIC, 1536>;
using VecF16_8x1536 = Tile<TileType::Vec, half, 8, 1536, BLayout::RowMajor, DYNAMIC, 1536>;
using VecI8_8x1536 = Tile<TileType::Vec, int8_t, 8, 1536, BLayout::RowMajor, DYNAMIC, 1536>;
using QGammaGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 1536>, Stride<1, 1, 1, 1, 1>>;
using QCGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1536>, Stride<1, 1, 1, 1536, 1>>;
using QQGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 1536>, Stride<1, 1, 1, 1536, 1>>;
using QSGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ int8_t *q_q,
    __gm__ float *q_s,
    __gm__ bfloat16_t *q_gamma,
    __gm__ float *q_c,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    // q_q, q_s: levels(rms_norm(q_c, cast(q_gamma, fp32), eps=eps))
    VecB16_1x1536 q_gamma_tile; TASSIGN<0x00000>(q_gamma_tile);  // UB 0x00000..0x00c00
    QGammaGm q_gamma_in(q_gamma);
    TLOAD(q_gamma_tile, q_gamma_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
    VecF32_1x1536 q_q_1; TASSIGN<0x0fc20>(q_q_1);  // UB 0x0fc20..0x11420
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
    TCVT(q_q_1, q_gamma_tile, RoundMode::CAST_RINT, SaturationMode::ON);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free at first
    for (int32_t t0 = t_begin + block * 8; t0 < t_end; t0 += nblk * 8) {
        const int32_t t0_valid = t_end - t0 < 8 ? t_end - t0 : 8;
        VecF32_8x1536 q_c_tile(t0_valid); TASSIGN<0x00c00>(q_c_tile);  // UB 0x00c00..0x0cc00
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free again
        QCGm q_c_in(q_c + int64_t(t0) * 1536, {t0_valid});
        TLOAD(q_c_tile, q_c_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        VecF32_8x1536 q_q_square(t0_valid); TASSIGN<0x11420>(q_q_square);  // UB 0x11420..0x1d420
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        TMUL(q_q_square, q_c_tile, q_c_tile);
        VecF32_8x1536 q_q_var_part(t0_valid); TASSIGN<0x11420>(q_q_var_part);  // UB 0x11420..0x1d420
        pipe_barrier(PIPE_V);
        TMULS(q_q_var_part, q_q_square, 0.0006510417f);
        VecF32_8x1536_c768 q_q_var_part_768(t0_valid); TASSIGN<0x11420>(q_q_var_part_768);  // columns 0.. of q_q_var_part
        VecF32_8x1536_c768 q_q_var_part_from_768(t0_valid); TASSIGN<0x12020>(q_q_var_part_from_768);  // columns 768.. of q_q_var_part
        pipe_barrier(PIPE_V);
        TADD(q_q_var_part_768, q_q_var_part_768, q_q_var_part_from_768);
        VecF32_8x1 q_q_var(t0_valid); TASSIGN<0x1d420>(q_q_var);  // UB 0x1d420..0x1d440
        VecF32_8x128 q_q_var_tmp(t0_valid); TASSIGN<0x1d440>(q_q_var_tmp);  // UB 0x1d440..0x1e440
        pipe_barrier(PIPE_V);
        TROWSUM(q_q_var, q_q_var_part_768, q_q_var_tmp);
        VecF32_1x8 q_q_var_eps_row(t0_valid); TASSIGN<0x11420>(q_q_var_eps_row);  // as a row, same bytes as q_q_var_eps
        VecF32_1x8 q_q_var_row(t0_valid); TASSIGN<0x1d420>(q_q_var_row);  // as a row, same bytes as q_q_var
        pipe_barrier(PIPE_V);
        TADDS(q_q_var_eps_row, q_q_var_row, eps);
        VecF32_1x8 q_q_std_row(t0_valid); TASSIGN<0x11420>(q_q_std_row);  // as a row, same bytes as q_q_std
        pipe_barrier(PIPE_V);
        TSQRT(q_q_std_row, q_q_var_eps_row);
        VecF32_8x1536 q_q_unit(t0_valid); TASSIGN<0x11440>(q_q_unit);  // UB 0x11440..0x1d440
        VecF32_8x1 q_q_std(t0_valid); TASSIGN<0x11420>(q_q_std);  // UB 0x11420..0x11440
        pipe_barrier(PIPE_V);
        TROWEXPANDDIV(q_q_unit, q_c_tile, q_q_std);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        VecF32_8x1536 q_q_3(t0_valid); TASSIGN<0x11440>(q_q_3);  // UB 0x11440..0x1d440
        pipe_barrier(PIPE_V);
        TCOLEXPANDMUL(q_q_3, q_q_unit, q_q_1);
        // m: maximum(amax(abs(v), axis=-1, keepdim=true), 1.0e-30)
        VecF32_8x1536 q_q_m_1(t0_valid); TASSIGN<0x1d440>(q_q_m_1);  // UB 0x1d440..0x29440
        pipe_barrier(PIPE_V);
        TABS(q_q_m_1, q_q_3);
        VecF32_8x1536_c768 q_q_m_1_768(t0_valid); TASSIGN<0x1d440>(q_q_m_1_768);  // columns 0.. of q_q_m_1
        VecF32_8x1536_c768 q_q_m_1_from_768(t0_valid); TASSIGN<0x1e040>(q_q_m_1_from_768);  // columns 768.. of q_q_m_1
        pipe_barrier(PIPE_V);
        TMAX(q_q_m_1_768, q_q_m_1_768, q_q_m_1_from_768);
        VecF32_8x1 q_q_m_2(t0_valid); TASSIGN<0x11420>(q_q_m_2);  // UB 0x11420..0x11440
        VecF32_8x128 q_q_m_2_tmp(t0_valid); TASSIGN<0x29440>(q_q_m_2_tmp);  // UB 0x29440..0x2a440
        pipe_barrier(PIPE_V);
        TROWMAX(q_q_m_2, q_q_m_1_768, q_q_m_2_tmp);
        VecF32_1x8 q_q_m_row(t0_valid); TASSIGN<0x11420>(q_q_m_row);  // as a row, same bytes as q_q_m
        VecF32_1x8 q_q_m_2_row(t0_valid); TASSIGN<0x11420>(q_q_m_2_row);  // as a row, same bytes as q_q_m_2
        pipe_barrier(PIPE_V);
        TMAXS(q_q_m_row, q_q_m_2_row, 1e-30f);
        // return: [cast(v * (127 / m), int8, mode=rint), m * 0.007874015748031496]
        VecF32_1x8 q_q_4_row(t0_valid); TASSIGN<0x1d440>(q_q_4_row);  // as a row, same bytes as q_q_4
        pipe_barrier(PIPE_V);
        TDIVS(q_q_4_row, 127.0f, q_q_m_row);
        VecF32_8x1536 q_q_5(t0_valid); TASSIGN<0x11440>(q_q_5);  // UB 0x11440..0x1d440
        VecF32_8x1 q_q_4(t0_valid); TASSIGN<0x1d440>(q_q_4);  // UB 0x1d440..0x1d460
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(q_q_5, q_q_3, q_q_4);
        VecI32_8x1536 q_q_tile_int32(t0_valid); TASSIGN<0x1d440>(q_q_tile_int32);  // UB 0x1d440..0x29440
        pipe_barrier(PIPE_V);
        TCVT(q_q_tile_int32, q_q_5, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF16_8x1536 q_q_tile_fp16(t0_valid); TASSIGN<0x11440>(q_q_tile_fp16);  // UB 0x11440..0x17440
        pipe_barrier(PIPE_V);
        TCVT(q_q_tile_fp16, q_q_tile_int32, RoundMode::CAST_NONE, SaturationMode::ON);
        VecI8_8x1536 q_q_tile(t0_valid); TASSIGN<0x0cc00>(q_q_tile);  // UB 0x0cc00..0x0fc00
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free again
        TCVT(q_q_tile, q_q_tile_fp16, RoundMode::CAST_NONE, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
        VecF32_1x8 q_s_tile_row(t0_valid); TASSIGN<0x0fc00>(q_s_tile_row);  // as a row, same bytes as q_s_tile
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TMULS(q_s_tile_row, q_q_m_row, 0.007874016f);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
        QQGm q_q_out(q_q + int64_t(t0) * 1536, {t0_valid});
        TSTORE(q_q_out, q_q_tile);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        QSGm q_s_out(q_s + int64_t(t0), {t0_valid});
        TSTORE(q_s_out, q_s_tile_row);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void query_norm(
    __gm__ int8_t *q_q, __gm__ float *q_s, __gm__ bfloat16_t *q_gamma, __gm__ float *q_c, float eps,
    int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(q_q, q_s, q_gamma, q_c, eps, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
