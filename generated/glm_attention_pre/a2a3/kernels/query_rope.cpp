// query_rope: vector kernel of `glm_attention_pre` for a2a3. Made by pyptogen; change the spec, not this file.
// stages query_rope; tiles heads 1, t 16; memory UB 51072 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x128 = Tile<TileType::Vec, bfloat16_t, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, DYNAMIC>;
using VecB16_16x64 = Tile<TileType::Vec, bfloat16_t, 16, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_16x64 = Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecI32_16x128 = Tile<TileType::Vec, int32_t, 16, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_16x128 = Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecB16_16x128 = Tile<TileType::Vec, bfloat16_t, 16, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecB16_16x128_c64 = Tile<TileType::Vec, bfloat16_t, 16, 128, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_16x64_c32 = Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, DYNAMIC, 32>;
using QGammaGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>>;
using NScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 64, 1>>;
using QIGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 1536, 1>>;
using QScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 1536, 1>>;
}  // namespace

extern "C" __global__ AICORE void query_rope(
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
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // q_n: cast(rms_norm(q_f, cast(q_gamma, fp32), eps=eps), bf16)  [glm_attention_pre.yaml:60]
    VecB16_1x128 q_gamma_tile; TASSIGN(q_gamma_tile, 0x02440);  // UB 0x02440..0x02540
    QGammaGm q_gamma_in(q_gamma);
    TLOAD(q_gamma_tile, q_gamma_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID5);
    VecF32_1x128 q_n_1; TASSIGN(q_n_1, 0x04540);  // UB 0x04540..0x04740
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID5);
    TCVT(q_n_1, q_gamma_tile, RoundMode::CAST_RINT);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free for the first round
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free for the first round
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free for the first round
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free for the first round
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // free for the first round
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 16) {
        const int32_t t0_valid = t_end - t0 < 16 ? t_end - t0 : 16;
        // q_f: reshape(cast(q_i, fp32) * n_scale * q_scale + q_bias, [t, heads, d])  [glm_attention_pre.yaml:59]
        VecF32_1x16 n_scale_tile_row(t0_valid); TASSIGN(n_scale_tile_row, 0x02000);  // as a row, same bytes as n_scale_tile
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // free again
        NScaleGm n_scale_in(n_scale + int64_t(t0), {t0_valid});
        TLOAD(n_scale_tile_row, n_scale_in);
        // q:   concat(rope(q_n[:, :, :r], cos[:, None, :], sin[:, None, :]), q_n[:, :, r:], axis=-1)  [glm_attention_pre.yaml:61]
        VecB16_16x64 q_2(t0_valid); TASSIGN(q_2, 0x03540);  // UB 0x03540..0x03d40
        CosGm cos_in(cos + int64_t(t0) * 64, {t0_valid});
        TLOAD(q_2, cos_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
        VecB16_16x64 q_3(t0_valid); TASSIGN(q_3, 0x03d40);  // UB 0x03d40..0x04540
        CosGm sin_in(sin + int64_t(t0) * 64, {t0_valid});
        TLOAD(q_3, sin_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
        VecF32_16x64 q_cos(t0_valid); TASSIGN(q_cos, 0x04740);  // UB 0x04740..0x05740
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
        TCVT(q_cos, q_2, RoundMode::CAST_RINT);
        VecF32_16x64 q_sin(t0_valid); TASSIGN(q_sin, 0x05740);  // UB 0x05740..0x06740
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
        TCVT(q_sin, q_3, RoundMode::CAST_RINT);
        for (int32_t heads0 = block; heads0 < 12; heads0 += nblk) {
            // q_f: reshape(cast(q_i, fp32) * n_scale * q_scale + q_bias, [t, heads, d])  [glm_attention_pre.yaml:59]
            VecI32_16x128 q_i_tile(t0_valid); TASSIGN(q_i_tile, 0x00000);  // UB 0x00000..0x02000
            wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free again
            QIGm q_i_in(q_i + int64_t(t0) * 1536 + int64_t(heads0) * 128, {t0_valid});
            TLOAD(q_i_tile, q_i_in);
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
            VecF32_1x128 q_f_q_scale_row; TASSIGN(q_f_q_scale_row, 0x02040);  // UB 0x02040..0x02240
            wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free again
            QScaleGm q_scale_in(q_scale + int64_t(heads0) * 128);
            TLOAD(q_f_q_scale_row, q_scale_in);
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
            VecF32_1x128 q_f_q_bias_row; TASSIGN(q_f_q_bias_row, 0x02240);  // UB 0x02240..0x02440
            wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free again
            QScaleGm q_bias_in(q_bias + int64_t(heads0) * 128);
            TLOAD(q_f_q_bias_row, q_bias_in);
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
            VecF32_16x128 q_f_1(t0_valid); TASSIGN(q_f_1, 0x06740);  // UB 0x06740..0x08740
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
            TCVT(q_f_1, q_i_tile, RoundMode::CAST_RINT);
            set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);
            VecF32_16x128 q_f_2(t0_valid); TASSIGN(q_f_2, 0x06740);  // UB 0x06740..0x08740
            VecF32_16x1 n_scale_tile(t0_valid); TASSIGN(n_scale_tile, 0x02000);  // UB 0x02000..0x02040
            pipe_barrier(PIPE_V);
            TROWEXPANDMUL(q_f_2, q_f_1, n_scale_tile);
            VecF32_16x128 q_f_3(t0_valid); TASSIGN(q_f_3, 0x06740);  // UB 0x06740..0x08740
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
            TCOLEXPANDMUL(q_f_3, q_f_2, q_f_q_scale_row);
            set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
            VecF32_16x128 q_f_4(t0_valid); TASSIGN(q_f_4, 0x06740);  // UB 0x06740..0x08740
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
            TCOLEXPANDADD(q_f_4, q_f_3, q_f_q_bias_row);
            set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
            // q_n: cast(rms_norm(q_f, cast(q_gamma, fp32), eps=eps), bf16)  [glm_attention_pre.yaml:60]
            VecF32_16x128 q_n_square(t0_valid); TASSIGN(q_n_square, 0x08740);  // UB 0x08740..0x0a740
            pipe_barrier(PIPE_V);
            TMUL(q_n_square, q_f_4, q_f_4);
            VecF32_16x128 q_n_var_part(t0_valid); TASSIGN(q_n_var_part, 0x08740);  // UB 0x08740..0x0a740
            pipe_barrier(PIPE_V);
            TMULS(q_n_var_part, q_n_square, 0.0078125f);
            VecF32_16x1 q_n_var(t0_valid); TASSIGN(q_n_var, 0x0a740);  // UB 0x0a740..0x0a780
            VecF32_16x128 q_n_var_tmp(t0_valid); TASSIGN(q_n_var_tmp, 0x0a780);  // UB 0x0a780..0x0c780
            pipe_barrier(PIPE_V);
            TROWSUM(q_n_var, q_n_var_part, q_n_var_tmp);
            VecF32_1x16 q_n_var_eps_row(t0_valid); TASSIGN(q_n_var_eps_row, 0x08740);  // as a row, same bytes as q_n_var_eps
            VecF32_1x16 q_n_var_row(t0_valid); TASSIGN(q_n_var_row, 0x0a740);  // as a row, same bytes as q_n_var
            pipe_barrier(PIPE_V);
            TADDS(q_n_var_eps_row, q_n_var_row, eps);
            VecF32_1x16 q_n_std_row(t0_valid); TASSIGN(q_n_std_row, 0x08740);  // as a row, same bytes as q_n_std
            pipe_barrier(PIPE_V);
            TSQRT(q_n_std_row, q_n_var_eps_row);
            VecF32_16x128 q_n_unit(t0_valid); TASSIGN(q_n_unit, 0x06740);  // UB 0x06740..0x08740
            VecF32_16x1 q_n_std(t0_valid); TASSIGN(q_n_std, 0x08740);  // UB 0x08740..0x08780
            pipe_barrier(PIPE_V);
            TROWEXPANDDIV(q_n_unit, q_f_4, q_n_std);
            VecF32_16x128 q_n_3(t0_valid); TASSIGN(q_n_3, 0x06740);  // UB 0x06740..0x08740
            pipe_barrier(PIPE_V);
            TCOLEXPANDMUL(q_n_3, q_n_unit, q_n_1);
            VecB16_16x128 q_n(t0_valid); TASSIGN(q_n, 0x02540);  // UB 0x02540..0x03540
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
            TCVT(q_n, q_n_3, RoundMode::CAST_RINT);
            // q:   concat(rope(q_n[:, :, :r], cos[:, None, :], sin[:, None, :]), q_n[:, :, r:], axis=-1)  [glm_attention_pre.yaml:61]
            VecF32_16x64 q_x(t0_valid); TASSIGN(q_x, 0x06740);  // UB 0x06740..0x07740
            VecB16_16x128_c64 q_1(t0_valid); TASSIGN(q_1, 0x02540);  // columns 0.. of q_n
            pipe_barrier(PIPE_V);
            TCVT(q_x, q_1, RoundMode::CAST_RINT);
            VecF32_16x64_c32 q_x1c1(t0_valid); TASSIGN(q_x1c1, 0x07740);  // UB 0x07740..0x08740
            VecF32_16x64_c32 q_x1(t0_valid); TASSIGN(q_x1, 0x06740);  // columns 0.. of q_x
            VecF32_16x64_c32 q_cos1(t0_valid); TASSIGN(q_cos1, 0x04740);  // columns 0.. of q_cos
            pipe_barrier(PIPE_V);
            TMUL(q_x1c1, q_x1, q_cos1);
            VecF32_16x64_c32 q_x2s1(t0_valid); TASSIGN(q_x2s1, 0x08740);  // UB 0x08740..0x09740
            VecF32_16x64_c32 q_x2(t0_valid); TASSIGN(q_x2, 0x067c0);  // columns 32.. of q_x
            VecF32_16x64_c32 q_sin1(t0_valid); TASSIGN(q_sin1, 0x05740);  // columns 0.. of q_sin
            TMUL(q_x2s1, q_x2, q_sin1);
            VecF32_16x64_c32 q_low(t0_valid); TASSIGN(q_low, 0x09740);  // columns 0.. of q_roped
            pipe_barrier(PIPE_V);
            TSUB(q_low, q_x1c1, q_x2s1);
            VecF32_16x64_c32 q_x2c2(t0_valid); TASSIGN(q_x2c2, 0x07740);  // UB 0x07740..0x08740
            VecF32_16x64_c32 q_cos2(t0_valid); TASSIGN(q_cos2, 0x047c0);  // columns 32.. of q_cos
            pipe_barrier(PIPE_V);
            TMUL(q_x2c2, q_x2, q_cos2);
            VecF32_16x64_c32 q_x1s2(t0_valid); TASSIGN(q_x1s2, 0x06740);  // UB 0x06740..0x07740
            VecF32_16x64_c32 q_sin2(t0_valid); TASSIGN(q_sin2, 0x057c0);  // columns 32.. of q_sin
            TMUL(q_x1s2, q_x1, q_sin2);
            VecF32_16x64_c32 q_high(t0_valid); TASSIGN(q_high, 0x097c0);  // columns 32.. of q_roped
            pipe_barrier(PIPE_V);
            TADD(q_high, q_x2c2, q_x1s2);
            VecB16_16x128_c64 q_rope(t0_valid); TASSIGN(q_rope, 0x02540);  // columns 0.. of q_n
            VecF32_16x64 q_roped(t0_valid); TASSIGN(q_roped, 0x09740);  // UB 0x09740..0x0a740
            pipe_barrier(PIPE_V);
            TCVT(q_rope, q_roped, RoundMode::CAST_RINT);
            set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
            wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
            QGm q_out(q + int64_t(t0) * 1536 + int64_t(heads0) * 128, {t0_valid});
            TSTORE(q_out, q_n);
            set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
        }
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // of the last round
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // of the last round
#endif
}
