// query_rope: vector kernel of `glm_attention_pre` for a2a3. Made by pyptogen; change the spec, not this file.
// stages query_rope; tiles heads 1, t 32; memory UB 134272 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x128 = Tile<TileType::Vec, bfloat16_t, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecB16_32x64 = Tile<TileType::Vec, bfloat16_t, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecI32_32x128 = Tile<TileType::Vec, int32_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_32x64 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_32x1 = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecB16_32x128 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecB16_32x128_c64 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_32x64_c32 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 32>;
using QGammaGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>>;
using NScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 64, 1>>;
using QIGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 1536, 1>>;
using QScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 1536, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *q,
    __gm__ int32_t *q_i,
    __gm__ float *n_scale,
    __gm__ float *q_scale,
    __gm__ float *q_bias,
    __gm__ bfloat16_t *q_gamma,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t heads0_buffer = 0;  // which of 2 buffers this iteration of heads0 uses
    // q_n: cast(rms_norm(q_f, cast(q_gamma, fp32), eps=eps), bf16)
    VecB16_1x128 q_gamma_tile; TASSIGN<0x08900>(q_gamma_tile);  // UB 0x08900..0x08a00
    QGammaGm q_gamma_in(q_gamma);
    TLOAD(q_gamma_tile, q_gamma_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID6);
    VecF32_1x128 q_n_1; TASSIGN<0x10a00>(q_n_1);  // UB 0x10a00..0x10c00
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID6);
    TCVT(q_n_1, q_gamma_tile, RoundMode::CAST_RINT, SaturationMode::ON);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 31) / 32 * 12;  // of t0 and heads0
    for (int32_t tile = block; tile < tiles; tile += nblk, heads0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 12 * 32;
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        const int32_t heads0 = tile % 12;
        // q_f: reshape(cast(q_i, fp32) * n_scale * q_scale + q_bias, [t, heads, d])
        VecF32_1x32 n_scale_tile_row(t0_valid); TASSIGN(n_scale_tile_row, 0x08000 + heads0_buffer * 0x00080);  // as a row, same bytes as n_scale_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + heads0_buffer));  // free again
        NScaleGm n_scale_in(n_scale + int64_t(t0), {t0_valid});
        TLOAD(n_scale_tile_row, n_scale_in);
        // q:   concat(rope(q_n[:, :, :r], cos[:, None, :], sin[:, None, :]), q_n[:, :, r:], axis=-1)
        VecB16_32x64 cos_tile(t0_valid); TASSIGN(cos_tile, 0x0ca00 + heads0_buffer * 0x01000);  // UB 0x0ca00..0x0ea00, 2 copies
        CosGm cos_in(cos + int64_t(t0) * 64, {t0_valid});
        TLOAD(cos_tile, cos_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + heads0_buffer));
        VecB16_32x64 sin_tile(t0_valid); TASSIGN(sin_tile, 0x0ea00 + heads0_buffer * 0x01000);  // UB 0x0ea00..0x10a00, 2 copies
        CosGm sin_in(sin + int64_t(t0) * 64, {t0_valid});
        TLOAD(sin_tile, sin_in);
        // q_f: reshape(cast(q_i, fp32) * n_scale * q_scale + q_bias, [t, heads, d])
        VecI32_32x128 q_i_tile(t0_valid); TASSIGN(q_i_tile, 0x00000 + heads0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        QIGm q_i_in(q_i + int64_t(t0) * 1536 + int64_t(heads0) * 128, {t0_valid});
        TLOAD(q_i_tile, q_i_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + heads0_buffer));
        VecF32_1x128 q_scale_tile; TASSIGN(q_scale_tile, 0x08100 + heads0_buffer * 0x00200);  // UB 0x08100..0x08500, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(heads0_buffer));  // free again
        QScaleGm q_scale_in(q_scale + int64_t(heads0) * 128);
        TLOAD(q_scale_tile, q_scale_in);
        VecF32_1x128 q_bias_tile; TASSIGN(q_bias_tile, 0x08500 + heads0_buffer * 0x00200);  // UB 0x08500..0x08900, 2 copies
        QScaleGm q_bias_in(q_bias + int64_t(heads0) * 128);
        TLOAD(q_bias_tile, q_bias_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(heads0_buffer));
        // q:   concat(rope(q_n[:, :, :r], cos[:, None, :], sin[:, None, :]), q_n[:, :, r:], axis=-1)
        VecF32_32x64 q_cos(t0_valid); TASSIGN<0x10c00>(q_cos);  // UB 0x10c00..0x12c00
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + heads0_buffer));
        TCVT(q_cos, cos_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_32x64 q_sin(t0_valid); TASSIGN<0x12c00>(q_sin);  // UB 0x12c00..0x14c00
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + heads0_buffer));
        TCVT(q_sin, sin_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        // q_f: reshape(cast(q_i, fp32) * n_scale * q_scale + q_bias, [t, heads, d])
        VecF32_32x128 q_f_1(t0_valid); TASSIGN<0x14c00>(q_f_1);  // UB 0x14c00..0x18c00
        TCVT(q_f_1, q_i_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_32x1 n_scale_tile(t0_valid); TASSIGN(n_scale_tile, 0x08000 + heads0_buffer * 0x00080);  // UB 0x08000..0x08100, 2 copies
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(q_f_1, q_f_1, n_scale_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + heads0_buffer));
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(heads0_buffer));
        TCOLEXPANDMUL(q_f_1, q_f_1, q_scale_tile);
        pipe_barrier(PIPE_V);
        TCOLEXPANDADD(q_f_1, q_f_1, q_bias_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(heads0_buffer));
        // q_n: cast(rms_norm(q_f, cast(q_gamma, fp32), eps=eps), bf16)
        VecF32_32x128 q_n_square(t0_valid); TASSIGN<0x18c00>(q_n_square);  // UB 0x18c00..0x1cc00
        pipe_barrier(PIPE_V);
        TMUL(q_n_square, q_f_1, q_f_1);
        VecF32_32x128 q_n_var_part(t0_valid); TASSIGN<0x18c00>(q_n_var_part);  // UB 0x18c00..0x1cc00
        pipe_barrier(PIPE_V);
        TMULS(q_n_var_part, q_n_square, 0.0078125f);
        VecF32_32x1 q_n_var(t0_valid); TASSIGN<0x1cc00>(q_n_var);  // UB 0x1cc00..0x1cc80
        VecF32_32x128 q_n_var_tmp(t0_valid); TASSIGN<0x1cc80>(q_n_var_tmp);  // UB 0x1cc80..0x20c80
        pipe_barrier(PIPE_V);
        TROWSUM(q_n_var, q_n_var_part, q_n_var_tmp);
        VecF32_1x32 q_n_var_eps_row(t0_valid); TASSIGN<0x18c00>(q_n_var_eps_row);  // as a row, same bytes as q_n_var_eps
        VecF32_1x32 q_n_var_row(t0_valid); TASSIGN<0x1cc00>(q_n_var_row);  // as a row, same bytes as q_n_var
        pipe_barrier(PIPE_V);
        TADDS(q_n_var_eps_row, q_n_var_row, eps);
        VecF32_1x32 q_n_std_row(t0_valid); TASSIGN<0x18c00>(q_n_std_row);  // as a row, same bytes as q_n_std
        pipe_barrier(PIPE_V);
        TSQRT(q_n_std_row, q_n_var_eps_row);
        VecF32_1x32 q_n_std_inverse_row(t0_valid); TASSIGN<0x18c80>(q_n_std_inverse_row);  // as a row, same bytes as q_n_std_inverse
        pipe_barrier(PIPE_V);
        TRECIP(q_n_std_inverse_row, q_n_std_row);
        VecF32_32x128 q_n_unit(t0_valid); TASSIGN<0x14c00>(q_n_unit);  // UB 0x14c00..0x18c00
        VecF32_32x1 q_n_std_inverse(t0_valid); TASSIGN<0x18c80>(q_n_std_inverse);  // UB 0x18c80..0x18d00
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(q_n_unit, q_f_1, q_n_std_inverse);
        VecF32_32x128 q_n_3(t0_valid); TASSIGN<0x14c00>(q_n_3);  // UB 0x14c00..0x18c00
        pipe_barrier(PIPE_V);
        TCOLEXPANDMUL(q_n_3, q_n_unit, q_n_1);
        VecB16_32x128 q_n(t0_valid); TASSIGN(q_n, 0x08a00 + heads0_buffer * 0x02000);  // UB 0x08a00..0x0ca00, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(heads0_buffer));  // free again
        TCVT(q_n, q_n_3, RoundMode::CAST_RINT, SaturationMode::ON);
        // q:   concat(rope(q_n[:, :, :r], cos[:, None, :], sin[:, None, :]), q_n[:, :, r:], axis=-1)
        VecF32_32x64 q_x(t0_valid); TASSIGN<0x14c00>(q_x);  // UB 0x14c00..0x16c00
        VecB16_32x128_c64 q_1(t0_valid); TASSIGN(q_1, 0x08a00 + heads0_buffer * 0x02000);  // columns 0.. of q_n
        pipe_barrier(PIPE_V);
        TCVT(q_x, q_1, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_32x64_c32 q_x1c1(t0_valid); TASSIGN<0x16c00>(q_x1c1);  // UB 0x16c00..0x18c00
        VecF32_32x64_c32 q_x1(t0_valid); TASSIGN<0x14c00>(q_x1);  // columns 0.. of q_x
        VecF32_32x64_c32 q_cos1(t0_valid); TASSIGN<0x10c00>(q_cos1);  // columns 0.. of q_cos
        pipe_barrier(PIPE_V);
        TMUL(q_x1c1, q_x1, q_cos1);
        VecF32_32x64_c32 q_x2s1(t0_valid); TASSIGN<0x18c00>(q_x2s1);  // UB 0x18c00..0x1ac00
        VecF32_32x64_c32 q_x2(t0_valid); TASSIGN<0x14c80>(q_x2);  // columns 32.. of q_x
        VecF32_32x64_c32 q_sin1(t0_valid); TASSIGN<0x12c00>(q_sin1);  // columns 0.. of q_sin
        TMUL(q_x2s1, q_x2, q_sin1);
        VecF32_32x64_c32 q_low(t0_valid); TASSIGN<0x1ac00>(q_low);  // columns 0.. of q_roped
        pipe_barrier(PIPE_V);
        TSUB(q_low, q_x1c1, q_x2s1);
        VecF32_32x64_c32 q_x2c2(t0_valid); TASSIGN<0x16c00>(q_x2c2);  // UB 0x16c00..0x18c00
        VecF32_32x64_c32 q_cos2(t0_valid); TASSIGN<0x10c80>(q_cos2);  // columns 32.. of q_cos
        pipe_barrier(PIPE_V);
        TMUL(q_x2c2, q_x2, q_cos2);
        VecF32_32x64_c32 q_x1s2(t0_valid); TASSIGN<0x10c00>(q_x1s2);  // UB 0x10c00..0x12c00
        VecF32_32x64_c32 q_sin2(t0_valid); TASSIGN<0x12c80>(q_sin2);  // columns 32.. of q_sin
        TMUL(q_x1s2, q_x1, q_sin2);
        VecF32_32x64_c32 q_high(t0_valid); TASSIGN<0x1ac80>(q_high);  // columns 32.. of q_roped
        pipe_barrier(PIPE_V);
        TADD(q_high, q_x2c2, q_x1s2);
        VecB16_32x128_c64 q_rope(t0_valid); TASSIGN(q_rope, 0x08a00 + heads0_buffer * 0x02000);  // columns 0.. of q_n
        VecF32_32x64 q_roped(t0_valid); TASSIGN<0x1ac00>(q_roped);  // UB 0x1ac00..0x1cc00
        pipe_barrier(PIPE_V);
        TCVT(q_rope, q_roped, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(heads0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(heads0_buffer));
        QGm q_out(q + int64_t(t0) * 1536 + int64_t(heads0) * 128, {t0_valid});
        TSTORE(q_out, q_n);
        set_flag(PIPE_MTE3, PIPE_V, event_t(heads0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void query_rope(
    __gm__ bfloat16_t *q, __gm__ int32_t *q_i, __gm__ float *n_scale, __gm__ float *q_scale, __gm__ float *q_bias,
    __gm__ bfloat16_t *q_gamma, __gm__ bfloat16_t *cos, __gm__ bfloat16_t *sin, float eps, int32_t t_begin,
    int32_t t_end, int32_t nblk)
{
    run_block(
        q, q_i, n_scale, q_scale, q_bias, q_gamma, cos, sin, eps, t_begin, t_end, nblk,
        static_cast<int32_t>(get_block_idx()));
}
