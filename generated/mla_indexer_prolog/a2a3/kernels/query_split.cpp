// query_split: vector kernel of `mla_indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages query_split; tiles heads 1, t 32; memory UB 149248 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecB16_32x64 = Tile<TileType::Vec, bfloat16_t, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_32x64 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecI32_32x192 = Tile<TileType::Vec, int32_t, 32, 192, BLayout::RowMajor, DYNAMIC, 192>;
using VecF32_1x192 = Tile<TileType::Vec, float, 1, 192, BLayout::RowMajor, 1, 192>;
using VecF32_32x192 = Tile<TileType::Vec, float, 32, 192, BLayout::RowMajor, DYNAMIC, 192>;
using VecF32_32x1 = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecB16_32x192 = Tile<TileType::Vec, bfloat16_t, 32, 192, BLayout::RowMajor, DYNAMIC, 192>;
using VecB16_32x192_c64 = Tile<TileType::Vec, bfloat16_t, 32, 192, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_32x64_c32 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 32>;
using QSGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 64, 1>>;
using QIGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 192>, Stride<1, 1, 1, 6144, 1>>;
using WUqScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, 192>, Stride<1, 1, 1, 1, 1>>;
using QBGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 192>, Stride<1, 1, 1, 6144, 1>>;
using QRopeGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 2048, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *q_b,
    __gm__ bfloat16_t *q_rope,
    __gm__ int32_t *q_i,
    __gm__ float *q_s,
    __gm__ float *w_uq_scale,
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
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // 2 buffers are free at first
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 32, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        // q_b: reshape(cast(cast(q_i, fp32) * q_s * w_uq_scale, bf16), [t, heads, nope + r])
        VecF32_1x32 q_s_tile_row(t0_valid); TASSIGN(q_s_tile_row, 0x0c000 + t0_buffer * 0x00080);  // as a row, same bytes as q_s_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + t0_buffer));  // free again
        QSGm q_s_in(q_s + int64_t(t0), {t0_valid});
        TLOAD(q_s_tile_row, q_s_in);
        // q_rope: rope(q_b[:, :, nope:], cos[:, None, :], sin[:, None, :])
        VecB16_32x64 cos_tile(t0_valid); TASSIGN(cos_tile, 0x12700 + t0_buffer * 0x01000);  // UB 0x12700..0x14700, 2 copies
        CosGm cos_in(cos + int64_t(t0) * 64, {t0_valid});
        TLOAD(cos_tile, cos_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(6 + t0_buffer));
        VecB16_32x64 sin_tile(t0_valid); TASSIGN(sin_tile, 0x14700 + t0_buffer * 0x01000);  // UB 0x14700..0x16700, 2 copies
        CosGm sin_in(sin + int64_t(t0) * 64, {t0_valid});
        TLOAD(sin_tile, sin_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_buffer));
        VecF32_32x64 q_rope_cos(t0_valid); TASSIGN<0x18700>(q_rope_cos);  // UB 0x18700..0x1a700
        wait_flag(PIPE_MTE2, PIPE_V, event_t(6 + t0_buffer));
        TCVT(q_rope_cos, cos_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_32x64 q_rope_sin(t0_valid); TASSIGN<0x1a700>(q_rope_sin);  // UB 0x1a700..0x1c700
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_buffer));
        TCVT(q_rope_sin, sin_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        for (int32_t heads0 = block; heads0 < 32; heads0 += nblk, heads0_buffer ^= 1) {
            // q_b: reshape(cast(cast(q_i, fp32) * q_s * w_uq_scale, bf16), [t, heads, nope + r])
            VecI32_32x192 q_i_tile(t0_valid); TASSIGN(q_i_tile, 0x00000 + heads0_buffer * 0x06000);  // UB 0x00000..0x0c000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + heads0_buffer));  // free again
            QIGm q_i_in(q_i + int64_t(t0) * 6144 + int64_t(heads0) * 192, {t0_valid});
            TLOAD(q_i_tile, q_i_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(2 + heads0_buffer));
            VecF32_1x192 w_uq_scale_tile; TASSIGN(w_uq_scale_tile, 0x0c100 + heads0_buffer * 0x00300);  // UB 0x0c100..0x0c700, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(heads0_buffer));  // free again
            WUqScaleGm w_uq_scale_in(w_uq_scale + int64_t(heads0) * 192);
            TLOAD(w_uq_scale_tile, w_uq_scale_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(heads0_buffer));
            VecF32_32x192 q_b_1(t0_valid); TASSIGN<0x1c700>(q_b_1);  // UB 0x1c700..0x22700
            wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + heads0_buffer));
            TCVT(q_b_1, q_i_tile, RoundMode::CAST_RINT, SaturationMode::ON);
            set_flag(PIPE_V, PIPE_MTE2, event_t(2 + heads0_buffer));
            VecF32_32x1 q_s_tile(t0_valid); TASSIGN(q_s_tile, 0x0c000 + t0_buffer * 0x00080);  // UB 0x0c000..0x0c100, 2 copies
            pipe_barrier(PIPE_V);
            TROWEXPANDMUL(q_b_1, q_b_1, q_s_tile);
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(heads0_buffer));
            TCOLEXPANDMUL(q_b_1, q_b_1, w_uq_scale_tile);
            set_flag(PIPE_V, PIPE_MTE2, event_t(heads0_buffer));
            VecB16_32x192 q_b_4(t0_valid); TASSIGN(q_b_4, 0x0c700 + heads0_buffer * 0x03000);  // UB 0x0c700..0x12700, 2 copies
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + heads0_buffer));  // free again
            TCVT(q_b_4, q_b_1, RoundMode::CAST_RINT, SaturationMode::ON);
            set_flag(PIPE_V, PIPE_MTE3, event_t(2 + heads0_buffer));
            // q_rope: rope(q_b[:, :, nope:], cos[:, None, :], sin[:, None, :])
            VecF32_32x64 q_rope_x(t0_valid); TASSIGN<0x1c700>(q_rope_x);  // UB 0x1c700..0x1e700
            VecB16_32x192_c64 q_rope_1(t0_valid); TASSIGN(q_rope_1, 0x0c800 + heads0_buffer * 0x03000);  // columns 128.. of q_b_4
            pipe_barrier(PIPE_V);
            TCVT(q_rope_x, q_rope_1, RoundMode::CAST_RINT, SaturationMode::ON);
            VecF32_32x64_c32 q_rope_x1c1(t0_valid); TASSIGN<0x1e700>(q_rope_x1c1);  // UB 0x1e700..0x20700
            VecF32_32x64_c32 q_rope_x1(t0_valid); TASSIGN<0x1c700>(q_rope_x1);  // columns 0.. of q_rope_x
            VecF32_32x64_c32 q_rope_cos1(t0_valid); TASSIGN<0x18700>(q_rope_cos1);  // columns 0.. of q_rope_cos
            pipe_barrier(PIPE_V);
            TMUL(q_rope_x1c1, q_rope_x1, q_rope_cos1);
            VecF32_32x64_c32 q_rope_x2s1(t0_valid); TASSIGN<0x20700>(q_rope_x2s1);  // UB 0x20700..0x22700
            VecF32_32x64_c32 q_rope_x2(t0_valid); TASSIGN<0x1c780>(q_rope_x2);  // columns 32.. of q_rope_x
            VecF32_32x64_c32 q_rope_sin1(t0_valid); TASSIGN<0x1a700>(q_rope_sin1);  // columns 0.. of q_rope_sin
            TMUL(q_rope_x2s1, q_rope_x2, q_rope_sin1);
            VecF32_32x64_c32 q_rope_low(t0_valid); TASSIGN<0x22700>(q_rope_low);  // columns 0.. of q_rope_roped
            pipe_barrier(PIPE_V);
            TSUB(q_rope_low, q_rope_x1c1, q_rope_x2s1);
            VecF32_32x64_c32 q_rope_x2c2(t0_valid); TASSIGN<0x1e700>(q_rope_x2c2);  // UB 0x1e700..0x20700
            VecF32_32x64_c32 q_rope_cos2(t0_valid); TASSIGN<0x18780>(q_rope_cos2);  // columns 32.. of q_rope_cos
            pipe_barrier(PIPE_V);
            TMUL(q_rope_x2c2, q_rope_x2, q_rope_cos2);
            VecF32_32x64_c32 q_rope_x1s2(t0_valid); TASSIGN<0x1c700>(q_rope_x1s2);  // UB 0x1c700..0x1e700
            VecF32_32x64_c32 q_rope_sin2(t0_valid); TASSIGN<0x1a780>(q_rope_sin2);  // columns 32.. of q_rope_sin
            TMUL(q_rope_x1s2, q_rope_x1, q_rope_sin2);
            VecF32_32x64_c32 q_rope_high(t0_valid); TASSIGN<0x22780>(q_rope_high);  // columns 32.. of q_rope_roped
            pipe_barrier(PIPE_V);
            TADD(q_rope_high, q_rope_x2c2, q_rope_x1s2);
            wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + heads0_buffer));
            // q_b: reshape(cast(cast(q_i, fp32) * q_s * w_uq_scale, bf16), [t, heads, nope + r])
            QBGm q_b_out(q_b + int64_t(t0) * 6144 + int64_t(heads0) * 192, {t0_valid});
            TSTORE(q_b_out, q_b_4);
            set_flag(PIPE_MTE3, PIPE_V, event_t(2 + heads0_buffer));
            // q_rope: rope(q_b[:, :, nope:], cos[:, None, :], sin[:, None, :])
            VecB16_32x64 q_rope_tile(t0_valid); TASSIGN(q_rope_tile, 0x16700 + heads0_buffer * 0x01000);  // UB 0x16700..0x18700, 2 copies
            VecF32_32x64 q_rope_roped(t0_valid); TASSIGN<0x22700>(q_rope_roped);  // UB 0x22700..0x24700
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, event_t(heads0_buffer));  // free again
            TCVT(q_rope_tile, q_rope_roped, RoundMode::CAST_RINT, SaturationMode::ON);
            set_flag(PIPE_V, PIPE_MTE3, event_t(heads0_buffer));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(heads0_buffer));
            QRopeGm q_rope_out(q_rope + int64_t(t0) * 2048 + int64_t(heads0) * 64, {t0_valid});
            TSTORE(q_rope_out, q_rope_tile);
            set_flag(PIPE_MTE3, PIPE_V, event_t(heads0_buffer));
        }
        set_flag(PIPE_V, PIPE_MTE2, event_t(4 + t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void query_split(
    __gm__ bfloat16_t *q_b, __gm__ bfloat16_t *q_rope, __gm__ int32_t *q_i, __gm__ float *q_s,
    __gm__ float *w_uq_scale, __gm__ bfloat16_t *cos, __gm__ bfloat16_t *sin, int32_t t_begin, int32_t t_end,
    int32_t nblk)
{
    run_block(
        q_b, q_rope, q_i, q_s, w_uq_scale, cos, sin, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
