// key_rope: vector kernel of `glm_attention_pre` for a2a3. Made by pyptogen; change the spec, not this file.
// stages key_rope; tiles t 4; memory UB 23392 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using VecB16_1x128 = Tile<TileType::Vec, bfloat16_t, 1, 128, BLayout::RowMajor, 1, 128>;
using VecI32_8x128 = Tile<TileType::Vec, int32_t, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecB16_8x64 = Tile<TileType::Vec, bfloat16_t, 8, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_8x128 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecB16_8x128 = Tile<TileType::Vec, bfloat16_t, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_8x64 = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecB16_8x128_c64 = Tile<TileType::Vec, bfloat16_t, 8, 128, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_8x64_c32 = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, DYNAMIC, 32>;
using KScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>>;
using KGammaGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>>;
using KIGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using NScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 64, 1>>;
using KCacheGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *k_cache,
    __gm__ bfloat16_t *v_cache,
    __gm__ int32_t *k_i,
    __gm__ float *n_scale,
    __gm__ float *k_scale,
    __gm__ float *k_bias,
    __gm__ bfloat16_t *k_gamma,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    __gm__ int64_t *slot,
    __gm__ int32_t *v_i,
    __gm__ float *v_scale,
    __gm__ float *v_bias,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);  // indices in GM may have changed
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    // k_n:     cast(rms_norm(cast(k_i, fp32) * n_scale * k_scale + k_bias, cast(k_gamma, fp32), eps=eps), bf16)
    VecF32_1x128 k_scale_tile; TASSIGN<0x01040>(k_scale_tile);  // UB 0x01040..0x01240
    KScaleGm k_scale_in(k_scale);
    TLOAD(k_scale_tile, k_scale_in);
    VecF32_1x128 k_bias_tile; TASSIGN<0x01240>(k_bias_tile);  // UB 0x01240..0x01440
    KScaleGm k_bias_in(k_bias);
    TLOAD(k_bias_tile, k_bias_in);
    VecB16_1x128 k_gamma_tile; TASSIGN<0x01440>(k_gamma_tile);  // UB 0x01440..0x01540
    KGammaGm k_gamma_in(k_gamma);
    TLOAD(k_gamma_tile, k_gamma_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID6);
    // v:       cast(cast(v_i, fp32) * n_scale * v_scale + v_bias, bf16)
    VecF32_1x128 v_scale_tile; TASSIGN<0x03540>(v_scale_tile);  // UB 0x03540..0x03740
    KScaleGm v_scale_in(v_scale);
    TLOAD(v_scale_tile, v_scale_in);
    VecF32_1x128 v_bias_tile; TASSIGN<0x03740>(v_bias_tile);  // UB 0x03740..0x03940
    KScaleGm v_bias_in(v_bias);
    TLOAD(v_bias_tile, v_bias_in);
    // k_n:     cast(rms_norm(cast(k_i, fp32) * n_scale * k_scale + k_bias, cast(k_gamma, fp32), eps=eps), bf16)
    VecF32_1x128 k_n_5; TASSIGN<0x04140>(k_n_5);  // UB 0x04140..0x04340
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID6);
    TCVT(k_n_5, k_gamma_tile, RoundMode::CAST_RINT, SaturationMode::ON);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 4; t0 < t_end; t0 += nblk * 4, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 4 ? t_end - t0 : 4;
        VecI32_8x128 k_i_tile(t0_valid); TASSIGN(k_i_tile, 0x00000 + t0_buffer * 0x00800);  // UB 0x00000..0x01000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_buffer));  // free again
        KIGm k_i_in(k_i + int64_t(t0) * 128, {t0_valid});
        TLOAD(k_i_tile, k_i_in);
        VecF32_1x8 n_scale_tile_row(t0_valid); TASSIGN(n_scale_tile_row, 0x01000 + t0_buffer * 0x00020);  // as a row, same bytes as n_scale_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        NScaleGm n_scale_in(n_scale + int64_t(t0), {t0_valid});
        TLOAD(n_scale_tile_row, n_scale_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_buffer));
        // k:       concat(rope(k_n[:, :r], cos, sin), k_n[:, r:], axis=-1)
        VecB16_8x64 cos_tile(t0_valid); TASSIGN(cos_tile, 0x01d40 + t0_buffer * 0x00200);  // UB 0x01d40..0x02140, 2 copies
        CosGm cos_in(cos + int64_t(t0) * 64, {t0_valid});
        TLOAD(cos_tile, cos_in);
        VecB16_8x64 sin_tile(t0_valid); TASSIGN(sin_tile, 0x02140 + t0_buffer * 0x00200);  // UB 0x02140..0x02540, 2 copies
        CosGm sin_in(sin + int64_t(t0) * 64, {t0_valid});
        TLOAD(sin_tile, sin_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        // v:       cast(cast(v_i, fp32) * n_scale * v_scale + v_bias, bf16)
        VecI32_8x128 v_i_tile(t0_valid); TASSIGN(v_i_tile, 0x02540 + t0_buffer * 0x00800);  // UB 0x02540..0x03540, 2 copies
        KIGm v_i_in(v_i + int64_t(t0) * 128, {t0_valid});
        TLOAD(v_i_tile, v_i_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        // k_n:     cast(rms_norm(cast(k_i, fp32) * n_scale * k_scale + k_bias, cast(k_gamma, fp32), eps=eps), bf16)
        VecF32_8x128 k_n_1(t0_valid); TASSIGN<0x04340>(k_n_1);  // UB 0x04340..0x04b40
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_buffer));
        TCVT(k_n_1, k_i_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_buffer));
        VecF32_8x1 n_scale_tile(t0_valid); TASSIGN(n_scale_tile, 0x01000 + t0_buffer * 0x00020);  // UB 0x01000..0x01040, 2 copies
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(k_n_1, k_n_1, n_scale_tile);
        pipe_barrier(PIPE_V);
        TCOLEXPANDMUL(k_n_1, k_n_1, k_scale_tile);
        pipe_barrier(PIPE_V);
        TCOLEXPANDADD(k_n_1, k_n_1, k_bias_tile);
        VecF32_8x128 k_n_square(t0_valid); TASSIGN<0x04b40>(k_n_square);  // UB 0x04b40..0x05340
        pipe_barrier(PIPE_V);
        TMUL(k_n_square, k_n_1, k_n_1);
        VecF32_8x128 k_n_var_part(t0_valid); TASSIGN<0x04b40>(k_n_var_part);  // UB 0x04b40..0x05340
        pipe_barrier(PIPE_V);
        TMULS(k_n_var_part, k_n_square, 0.0078125f);
        VecF32_8x1 k_n_var(t0_valid); TASSIGN<0x05340>(k_n_var);  // UB 0x05340..0x05360
        VecF32_8x128 k_n_var_tmp(t0_valid); TASSIGN<0x05360>(k_n_var_tmp);  // UB 0x05360..0x05b60
        pipe_barrier(PIPE_V);
        TROWSUM(k_n_var, k_n_var_part, k_n_var_tmp);
        VecF32_1x8 k_n_var_eps_row(t0_valid); TASSIGN<0x04b40>(k_n_var_eps_row);  // as a row, same bytes as k_n_var_eps
        VecF32_1x8 k_n_var_row(t0_valid); TASSIGN<0x05340>(k_n_var_row);  // as a row, same bytes as k_n_var
        pipe_barrier(PIPE_V);
        TADDS(k_n_var_eps_row, k_n_var_row, eps);
        VecF32_1x8 k_n_std_row(t0_valid); TASSIGN<0x04b40>(k_n_std_row);  // as a row, same bytes as k_n_std
        pipe_barrier(PIPE_V);
        TSQRT(k_n_std_row, k_n_var_eps_row);
        VecF32_1x8 k_n_std_inverse_row(t0_valid); TASSIGN<0x04b60>(k_n_std_inverse_row);  // as a row, same bytes as k_n_std_inverse
        pipe_barrier(PIPE_V);
        TRECIP(k_n_std_inverse_row, k_n_std_row);
        VecF32_8x128 k_n_unit(t0_valid); TASSIGN<0x04340>(k_n_unit);  // UB 0x04340..0x04b40
        VecF32_8x1 k_n_std_inverse(t0_valid); TASSIGN<0x04b60>(k_n_std_inverse);  // UB 0x04b60..0x04b80
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(k_n_unit, k_n_1, k_n_std_inverse);
        VecF32_8x128 k_n_7(t0_valid); TASSIGN<0x04340>(k_n_7);  // UB 0x04340..0x04b40
        pipe_barrier(PIPE_V);
        TCOLEXPANDMUL(k_n_7, k_n_unit, k_n_5);
        VecB16_8x128 k_n(t0_valid); TASSIGN(k_n, 0x01540 + t0_buffer * 0x00400);  // UB 0x01540..0x01d40, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + t0_buffer));  // free again
        TCVT(k_n, k_n_7, RoundMode::CAST_RINT, SaturationMode::ON);
        // k:       concat(rope(k_n[:, :r], cos, sin), k_n[:, r:], axis=-1)
        VecF32_8x64 k_x(t0_valid); TASSIGN<0x04340>(k_x);  // UB 0x04340..0x04740
        VecB16_8x128_c64 k_1(t0_valid); TASSIGN(k_1, 0x01540 + t0_buffer * 0x00400);  // columns 0.. of k_n
        pipe_barrier(PIPE_V);
        TCVT(k_x, k_1, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_8x64 k_cos(t0_valid); TASSIGN<0x04740>(k_cos);  // UB 0x04740..0x04b40
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        TCVT(k_cos, cos_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_8x64 k_sin(t0_valid); TASSIGN<0x04b40>(k_sin);  // UB 0x04b40..0x04f40
        TCVT(k_sin, sin_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_8x64_c32 k_x1c1(t0_valid); TASSIGN<0x04f40>(k_x1c1);  // UB 0x04f40..0x05340
        VecF32_8x64_c32 k_x1(t0_valid); TASSIGN<0x04340>(k_x1);  // columns 0.. of k_x
        VecF32_8x64_c32 k_cos1(t0_valid); TASSIGN<0x04740>(k_cos1);  // columns 0.. of k_cos
        pipe_barrier(PIPE_V);
        TMUL(k_x1c1, k_x1, k_cos1);
        VecF32_8x64_c32 k_x2s1(t0_valid); TASSIGN<0x05340>(k_x2s1);  // UB 0x05340..0x05740
        VecF32_8x64_c32 k_x2(t0_valid); TASSIGN<0x043c0>(k_x2);  // columns 32.. of k_x
        VecF32_8x64_c32 k_sin1(t0_valid); TASSIGN<0x04b40>(k_sin1);  // columns 0.. of k_sin
        TMUL(k_x2s1, k_x2, k_sin1);
        VecF32_8x64_c32 k_low(t0_valid); TASSIGN<0x05740>(k_low);  // columns 0.. of k_roped
        pipe_barrier(PIPE_V);
        TSUB(k_low, k_x1c1, k_x2s1);
        VecF32_8x64_c32 k_x2c2(t0_valid); TASSIGN<0x04f40>(k_x2c2);  // UB 0x04f40..0x05340
        VecF32_8x64_c32 k_cos2(t0_valid); TASSIGN<0x047c0>(k_cos2);  // columns 32.. of k_cos
        pipe_barrier(PIPE_V);
        TMUL(k_x2c2, k_x2, k_cos2);
        VecF32_8x64_c32 k_x1s2(t0_valid); TASSIGN<0x04340>(k_x1s2);  // UB 0x04340..0x04740
        VecF32_8x64_c32 k_sin2(t0_valid); TASSIGN<0x04bc0>(k_sin2);  // columns 32.. of k_sin
        TMUL(k_x1s2, k_x1, k_sin2);
        VecF32_8x64_c32 k_high(t0_valid); TASSIGN<0x057c0>(k_high);  // columns 32.. of k_roped
        pipe_barrier(PIPE_V);
        TADD(k_high, k_x2c2, k_x1s2);
        // v:       cast(cast(v_i, fp32) * n_scale * v_scale + v_bias, bf16)
        VecF32_8x128 v_1(t0_valid); TASSIGN<0x04340>(v_1);  // UB 0x04340..0x04b40
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TCVT(v_1, v_i_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(v_1, v_1, n_scale_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        pipe_barrier(PIPE_V);
        TCOLEXPANDMUL(v_1, v_1, v_scale_tile);
        pipe_barrier(PIPE_V);
        TCOLEXPANDADD(v_1, v_1, v_bias_tile);
        VecB16_8x128 v(t0_valid); TASSIGN(v, 0x03940 + t0_buffer * 0x00400);  // UB 0x03940..0x04140, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCVT(v, v_1, RoundMode::CAST_RINT, SaturationMode::ON);
        // k:       concat(rope(k_n[:, :r], cos, sin), k_n[:, r:], axis=-1)
        VecB16_8x128_c64 k_rope(t0_valid); TASSIGN(k_rope, 0x01540 + t0_buffer * 0x00400);  // columns 0.. of k_n
        VecF32_8x64 k_roped(t0_valid); TASSIGN<0x05740>(k_roped);  // UB 0x05740..0x05b40
        TCVT(k_rope, k_roped, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        // rows of k_n to the slots in slot
        for (int32_t row = 0; row < t0_valid; ++row) {
            const int64_t slot_i = slot[int64_t(row) + int64_t(t0)];
            if (slot_i < 0) {  // this row is not kept
                continue;
            }
            // k_cache: scatter_update(k_cache, slot, k, dim=0)
            VecB16_1x128 k_n_one; TASSIGN(k_n_one, 0x01540 + row * 0x00100 + t0_buffer * 0x00400);  // row of k_n
            KCacheGm k_cache_out(k_cache + int64_t(slot_i) * 128);
            TSTORE(k_cache_out, k_n_one);
        }
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + t0_buffer));
        // rows of v to the slots in slot
        for (int32_t row = 0; row < t0_valid; ++row) {
            const int64_t slot_i = slot[int64_t(row) + int64_t(t0)];
            if (slot_i < 0) {  // this row is not kept
                continue;
            }
            // v_cache: scatter_update(v_cache, slot, v, dim=0)
            VecB16_1x128 v_one; TASSIGN(v_one, 0x03940 + row * 0x00100 + t0_buffer * 0x00400);  // row of v
            KCacheGm v_cache_out(v_cache + int64_t(slot_i) * 128);
            TSTORE(v_cache_out, v_one);
        }
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void key_rope(
    __gm__ bfloat16_t *k_cache, __gm__ bfloat16_t *v_cache, __gm__ int32_t *k_i, __gm__ float *n_scale,
    __gm__ float *k_scale, __gm__ float *k_bias, __gm__ bfloat16_t *k_gamma, __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin, __gm__ int64_t *slot, __gm__ int32_t *v_i, __gm__ float *v_scale, __gm__ float *v_bias,
    float eps, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(
        k_cache, v_cache, k_i, n_scale, k_scale, k_bias, k_gamma, cos, sin, slot, v_i, v_scale, v_bias, eps,
        t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
