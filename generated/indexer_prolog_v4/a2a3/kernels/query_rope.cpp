// query_rope: vector kernel of `indexer_prolog_v4` for a2a3. Made by pyptogen; change the spec, not this file.
// stages query_rope; tiles heads 1, t 32; memory UB 115968 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecB16_32x64 = Tile<TileType::Vec, bfloat16_t, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_32x64 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecI32_32x128 = Tile<TileType::Vec, int32_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_32x1 = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecB16_32x128 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecB16_32x128_c64 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_32x64_c32 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 32>;
using QNormScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 64, 1>>;
using QIGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 8192, 1>>;
using WQbScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>>;
using QRGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 8192, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *q_r,
    __gm__ int32_t *q_i,
    __gm__ float *q_norm_scale,
    __gm__ float *w_qb_scale,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    int32_t heads0_buffer = 0;  // which of 2 buffers this iteration of heads0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // 2 buffers are free at first
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 32, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        // q_b: reshape(cast(cast(q_i, fp32) * q_norm_scale * w_qb_scale.T, bf16), [t, heads, d])
        VecF32_1x32 q_norm_scale_tile_row(t0_valid); TASSIGN(q_norm_scale_tile_row, 0x08000 + t0_buffer * 0x00080);  // as a row, same bytes as q_norm_scale_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + t0_buffer));  // free again
        QNormScaleGm q_norm_scale_in(q_norm_scale + int64_t(t0), {t0_valid});
        TLOAD(q_norm_scale_tile_row, q_norm_scale_in);
        // q_r: concat(q_b[:, :, :nope], rope(q_b[:, :, nope:], cos[:, None, :], sin[:, None, :]), axis=-1)
        VecB16_32x64 cos_tile(t0_valid); TASSIGN(cos_tile, 0x0c500 + t0_buffer * 0x01000);  // UB 0x0c500..0x0e500, 2 copies
        CosGm cos_in(cos + int64_t(t0) * 64, {t0_valid});
        TLOAD(cos_tile, cos_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(6 + t0_buffer));
        VecB16_32x64 sin_tile(t0_valid); TASSIGN(sin_tile, 0x0e500 + t0_buffer * 0x01000);  // UB 0x0e500..0x10500, 2 copies
        CosGm sin_in(sin + int64_t(t0) * 64, {t0_valid});
        TLOAD(sin_tile, sin_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_buffer));
        VecF32_32x64 q_r_cos(t0_valid); TASSIGN<0x10500>(q_r_cos);  // UB 0x10500..0x12500
        wait_flag(PIPE_MTE2, PIPE_V, event_t(6 + t0_buffer));
        TCVT(q_r_cos, cos_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_32x64 q_r_sin(t0_valid); TASSIGN<0x12500>(q_r_sin);  // UB 0x12500..0x14500
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_buffer));
        TCVT(q_r_sin, sin_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        for (int32_t heads0 = block; heads0 < 64; heads0 += nblk, heads0_buffer ^= 1) {
            // q_b: reshape(cast(cast(q_i, fp32) * q_norm_scale * w_qb_scale.T, bf16), [t, heads, d])
            VecI32_32x128 q_i_tile(t0_valid); TASSIGN(q_i_tile, 0x00000 + heads0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + heads0_buffer));  // free again
            QIGm q_i_in(q_i + int64_t(t0) * 8192 + int64_t(heads0) * 128, {t0_valid});
            TLOAD(q_i_tile, q_i_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(2 + heads0_buffer));
            VecF32_1x128 w_qb_scale_tile; TASSIGN(w_qb_scale_tile, 0x08100 + heads0_buffer * 0x00200);  // UB 0x08100..0x08500, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(heads0_buffer));  // free again
            WQbScaleGm w_qb_scale_in(w_qb_scale + int64_t(heads0) * 128);
            TLOAD(w_qb_scale_tile, w_qb_scale_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(heads0_buffer));
            VecF32_32x128 q_b_1(t0_valid); TASSIGN<0x14500>(q_b_1);  // UB 0x14500..0x18500
            wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + heads0_buffer));
            TCVT(q_b_1, q_i_tile, RoundMode::CAST_RINT, SaturationMode::ON);
            set_flag(PIPE_V, PIPE_MTE2, event_t(2 + heads0_buffer));
            VecF32_32x1 q_norm_scale_tile(t0_valid); TASSIGN(q_norm_scale_tile, 0x08000 + t0_buffer * 0x00080);  // UB 0x08000..0x08100, 2 copies
            pipe_barrier(PIPE_V);
            TROWEXPANDMUL(q_b_1, q_b_1, q_norm_scale_tile);
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(heads0_buffer));
            TCOLEXPANDMUL(q_b_1, q_b_1, w_qb_scale_tile);
            set_flag(PIPE_V, PIPE_MTE2, event_t(heads0_buffer));
            VecB16_32x128 q_b_5(t0_valid); TASSIGN(q_b_5, 0x08500 + heads0_buffer * 0x02000);  // UB 0x08500..0x0c500, 2 copies
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, event_t(heads0_buffer));  // free again
            TCVT(q_b_5, q_b_1, RoundMode::CAST_RINT, SaturationMode::ON);
            // q_r: concat(q_b[:, :, :nope], rope(q_b[:, :, nope:], cos[:, None, :], sin[:, None, :]), axis=-1)
            VecF32_32x64 q_r_x(t0_valid); TASSIGN<0x14500>(q_r_x);  // UB 0x14500..0x16500
            VecB16_32x128_c64 q_r_2(t0_valid); TASSIGN(q_r_2, 0x08580 + heads0_buffer * 0x02000);  // columns 64.. of q_b_5
            pipe_barrier(PIPE_V);
            TCVT(q_r_x, q_r_2, RoundMode::CAST_RINT, SaturationMode::ON);
            VecF32_32x64_c32 q_r_x1c1(t0_valid); TASSIGN<0x16500>(q_r_x1c1);  // UB 0x16500..0x18500
            VecF32_32x64_c32 q_r_x1(t0_valid); TASSIGN<0x14500>(q_r_x1);  // columns 0.. of q_r_x
            VecF32_32x64_c32 q_r_cos1(t0_valid); TASSIGN<0x10500>(q_r_cos1);  // columns 0.. of q_r_cos
            pipe_barrier(PIPE_V);
            TMUL(q_r_x1c1, q_r_x1, q_r_cos1);
            VecF32_32x64_c32 q_r_x2s1(t0_valid); TASSIGN<0x18500>(q_r_x2s1);  // UB 0x18500..0x1a500
            VecF32_32x64_c32 q_r_x2(t0_valid); TASSIGN<0x14580>(q_r_x2);  // columns 32.. of q_r_x
            VecF32_32x64_c32 q_r_sin1(t0_valid); TASSIGN<0x12500>(q_r_sin1);  // columns 0.. of q_r_sin
            TMUL(q_r_x2s1, q_r_x2, q_r_sin1);
            VecF32_32x64_c32 q_r_low(t0_valid); TASSIGN<0x1a500>(q_r_low);  // columns 0.. of q_r_roped
            pipe_barrier(PIPE_V);
            TSUB(q_r_low, q_r_x1c1, q_r_x2s1);
            VecF32_32x64_c32 q_r_x2c2(t0_valid); TASSIGN<0x16500>(q_r_x2c2);  // UB 0x16500..0x18500
            VecF32_32x64_c32 q_r_cos2(t0_valid); TASSIGN<0x10580>(q_r_cos2);  // columns 32.. of q_r_cos
            pipe_barrier(PIPE_V);
            TMUL(q_r_x2c2, q_r_x2, q_r_cos2);
            VecF32_32x64_c32 q_r_x1s2(t0_valid); TASSIGN<0x14500>(q_r_x1s2);  // UB 0x14500..0x16500
            VecF32_32x64_c32 q_r_sin2(t0_valid); TASSIGN<0x12580>(q_r_sin2);  // columns 32.. of q_r_sin
            TMUL(q_r_x1s2, q_r_x1, q_r_sin2);
            VecF32_32x64_c32 q_r_high(t0_valid); TASSIGN<0x1a580>(q_r_high);  // columns 32.. of q_r_roped
            pipe_barrier(PIPE_V);
            TADD(q_r_high, q_r_x2c2, q_r_x1s2);
            VecB16_32x128_c64 q_r_rope(t0_valid); TASSIGN(q_r_rope, 0x08580 + heads0_buffer * 0x02000);  // columns 64.. of q_b_5
            VecF32_32x64 q_r_roped(t0_valid); TASSIGN<0x1a500>(q_r_roped);  // UB 0x1a500..0x1c500
            pipe_barrier(PIPE_V);
            TCVT(q_r_rope, q_r_roped, RoundMode::CAST_RINT, SaturationMode::ON);
            set_flag(PIPE_V, PIPE_MTE3, event_t(heads0_buffer));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(heads0_buffer));
            QRGm q_r_out(q_r + int64_t(t0) * 8192 + int64_t(heads0) * 128, {t0_valid});
            TSTORE(q_r_out, q_b_5);
            set_flag(PIPE_MTE3, PIPE_V, event_t(heads0_buffer));
        }
        set_flag(PIPE_V, PIPE_MTE2, event_t(4 + t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void query_rope(
    __gm__ bfloat16_t *q_r, __gm__ int32_t *q_i, __gm__ float *q_norm_scale, __gm__ float *w_qb_scale,
    __gm__ bfloat16_t *cos, __gm__ bfloat16_t *sin, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(
        q_r, q_i, q_norm_scale, w_qb_scale, cos, sin, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
