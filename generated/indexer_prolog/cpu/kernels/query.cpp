// query: mixed kernel of `indexer_prolog` for cpu. Made by pyptogen; change the spec, not this file.
// stages query_linear, query_rope, query_quant; tiles heads 1, t 256 / 32; memory L0A 401408 B, L0B 229376 B, L0C 147456 B, UB 25216 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using RightB16_128x128 = TileRight<bfloat16_t, 128, 128, 128, 128>;
using LeftI8_256x1536 = TileLeft<int8_t, 256, 1536, DYNAMIC, 1536>;
using RightI8_1536x128 = TileRight<int8_t, 1536, 128, 1536, 128>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using AccI32_256x128 = TileAcc<int32_t, 256, 128, DYNAMIC, 128>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_32x1 = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecB16_32x128 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_32x64 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecB16_32x128_c64 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_32x64_c32 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 32>;
using LeftB16_32x128 = TileLeft<bfloat16_t, 32, 128, DYNAMIC, 128>;
using AccF32_32x128 = TileAcc<float, 32, 128, DYNAMIC, 128>;
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF16_1x32 = Tile<TileType::Vec, half, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecF16_32x1 = Tile<TileType::Vec, half, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using HadamardQGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;
using QNormGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 1536>, Stride<1, 1, 1, 1536, 1>>;
using WQbGm = GlobalTensor<int8_t, Shape<1, 1, 1, 1536, 128>, Stride<1, 1, 1, 49152, 1>, Layout::CPU_PACKED>;
using WQbScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>>;
using QNormScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 32>, Stride<1, 1, 1, 64, 1>>;
using QScaleGm = GlobalTensor<half, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, 64, 1>>;
using QGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 8192, 1>>;
}  // namespace

extern "C" __global__ AICORE void query(
    __gm__ int8_t *q,
    __gm__ half *q_scale,
    __gm__ int8_t *q_norm,
    __gm__ int8_t *w_qb,
    __gm__ float *q_norm_scale,
    __gm__ float *w_qb_scale,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    __gm__ bfloat16_t *hadamard_q,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 8192);  // q: around the cache if large
    // q_h: matmul(q_cat, hadamard_q, dtype=bf16)
    RightB16_128x128 hadamard_q_tile; TASSIGN(hadamard_q_tile, 0x00000);  // L0B 0x00000..0x08000
    HadamardQGm hadamard_q_in(hadamard_q);
    TLOAD(hadamard_q_tile, hadamard_q_in);
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 256) {
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        // q_i32: matmul(q_norm, w_qb, dtype=int32)
        LeftI8_256x1536 q_norm_tile(t0_valid); TASSIGN(q_norm_tile, 0x00000);  // L0A 0x00000..0x60000
        QNormGm q_norm_in(q_norm + int64_t(t0) * 1536, {t0_valid});
        TLOAD(q_norm_tile, q_norm_in);
        for (int32_t heads0 = block; heads0 < 64; heads0 += nblk) {
            RightI8_1536x128 w_qb_tile; TASSIGN(w_qb_tile, 0x08000);  // L0B 0x08000..0x38000
            WQbGm w_qb_in(w_qb + int64_t(heads0) * 196608);
            TLOAD(w_qb_tile, w_qb_in);
            // q_f32: cast(q_i32, fp32) * q_norm_scale * w_qb_scale.T
            VecF32_1x128 w_qb_scale_tile; TASSIGN(w_qb_scale_tile, 0x00000);  // UB 0x00000..0x00200
            WQbScaleGm w_qb_scale_in(w_qb_scale + int64_t(heads0) * 128);
            TLOAD(w_qb_scale_tile, w_qb_scale_in);
            // q_i32: matmul(q_norm, w_qb, dtype=int32)
            AccI32_256x128 q_i32_acc(t0_valid); TASSIGN(q_i32_acc, 0x00000);  // L0C 0x00000..0x20000
            TMATMUL(q_i32_acc, q_norm_tile, w_qb_tile);
            for (int32_t t1 = t0; t1 < t0 + t0_valid; t1 += 32) {
                const int32_t t1_valid = t0 + t0_valid - t1 < 32 ? t0 + t0_valid - t1 : 32;
                // q_f32: cast(q_i32, fp32) * q_norm_scale * w_qb_scale.T
                VecF32_1x32 q_norm_scale_tile_row(t1_valid); TASSIGN(q_norm_scale_tile_row, 0x00200);  // as a row, same bytes as q_norm_scale_tile
                QNormScaleGm q_norm_scale_in(q_norm_scale + int64_t(t1), {t1_valid});
                TLOAD(q_norm_scale_tile_row, q_norm_scale_in);
                VecF32_32x1 q_norm_scale_tile(t1_valid); TASSIGN(q_norm_scale_tile, 0x00200);  // UB 0x00200..0x00280
                VecB16_32x128 q_b_1(t1_valid); TASSIGN(q_b_1, 0x00280);  // UB 0x00280..0x02280
                TPASS(t1_valid, 128, [&](auto at) {
                    const auto q_i32 = at.extract(q_i32_acc, t1 - t0);
                    const auto q_f32_1 = at.to_float(q_i32);
                    const auto q_f32_2 = q_f32_1 * at.column(q_norm_scale_tile);
                    const auto q_f32 = q_f32_2 * at.row(w_qb_scale_tile);
                    // q_b:   reshape(cast(q_f32, bf16), [t, heads, d])
                    at.store(q_b_1, q_f32);
                });
                // q_cat: concat(rope(q_b[:, :, :r], cos[:, None, :], sin[:, None, :]), q_b[:, :, r:], axis=-1)
                VecF32_32x64 q_cat_x(t1_valid); TASSIGN(q_cat_x, 0x02280);  // UB 0x02280..0x04280
                VecB16_32x128_c64 q_cat_1(t1_valid); TASSIGN(q_cat_1, 0x00280);  // columns 0.. of q_b_1
                TCVT(q_cat_x, q_cat_1, RoundMode::CAST_RINT);
                VecF32_32x64_c32 q_cat_x1(t1_valid); TASSIGN(q_cat_x1, 0x02280);  // columns 0.. of q_cat_x
                VecF32_32x64_c32 q_cat_x2(t1_valid); TASSIGN(q_cat_x2, 0x02300);  // columns 32.. of q_cat_x
                VecF32_32x64_c32 q_cat_low(t1_valid); TASSIGN(q_cat_low, 0x04280);  // columns 0.. of q_cat_roped
                VecF32_32x64_c32 q_cat_high(t1_valid); TASSIGN(q_cat_high, 0x04300);  // columns 32.. of q_cat_roped
                CosGm cos_in(cos + int64_t(t1) * 64, {t1_valid});
                CosGm cos_in_2(cos + int64_t(t1) * 64 + 32, {t1_valid});
                CosGm sin_in(sin + int64_t(t1) * 64, {t1_valid});
                CosGm sin_in_2(sin + int64_t(t1) * 64 + 32, {t1_valid});
                TPASS(t1_valid, 32, [&](auto at) {
                    const auto cos_tile_1 = at.load(cos_in);
                    const auto cos_tile_2 = at.load(cos_in_2);
                    const auto sin_tile_1 = at.load(sin_in);
                    const auto sin_tile_2 = at.load(sin_in_2);
                    const auto q_cat_x1_v = at.load(q_cat_x1);
                    const auto q_cat_x1c1 = q_cat_x1_v * cos_tile_1;
                    const auto q_cat_x2_v = at.load(q_cat_x2);
                    const auto q_cat_x2s1 = q_cat_x2_v * sin_tile_1;
                    const auto q_cat_low_v = q_cat_x1c1 - q_cat_x2s1;
                    at.store(q_cat_low, q_cat_low_v);
                    const auto q_cat_x2c2 = q_cat_x2_v * cos_tile_2;
                    const auto q_cat_x1s2 = q_cat_x1_v * sin_tile_2;
                    const auto q_cat_high_v = q_cat_x2c2 + q_cat_x1s2;
                    at.store(q_cat_high, q_cat_high_v);
                });
                VecB16_32x128_c64 q_cat_rope(t1_valid); TASSIGN(q_cat_rope, 0x00280);  // columns 0.. of q_b_1
                VecF32_32x64 q_cat_roped(t1_valid); TASSIGN(q_cat_roped, 0x04280);  // UB 0x04280..0x06280
                TCVT(q_cat_rope, q_cat_roped, RoundMode::CAST_RINT);
                // q_h: matmul(q_cat, hadamard_q, dtype=bf16)
                LeftB16_32x128 q_b_1_l0a(t1_valid); TASSIGN(q_b_1_l0a, 0x60000);  // L0A 0x60000..0x62000
                TMOV(q_b_1_l0a, q_b_1);
                AccF32_32x128 q_h_acc(t1_valid); TASSIGN(q_h_acc, 0x20000);  // L0C 0x20000..0x24000
                TMATMUL(q_h_acc, q_b_1_l0a, hadamard_q_tile);
                // f: cast(v, fp32)
                VecB16_32x128 q_h(t1_valid); TASSIGN(q_h, 0x00200);  // UB 0x00200..0x02200
                TEXTRACT(q_h, q_h_acc, 0, 0);
                VecF32_32x128 q_f(t1_valid); TASSIGN(q_f, 0x02200);  // UB 0x02200..0x06200
                VecF32_32x1 q_s_2(t1_valid); TASSIGN(q_s_2, 0x06200);  // UB 0x06200..0x06280
                TPASS(t1_valid, 128, [&](auto at, auto &q_s_2_max) {
                    const auto q_h_v = at.load(q_h);
                    at.store(q_f, q_h_v);
                    // s: 127 / maximum(amax(abs(f), axis=-1, keepdim=true), 1.0e-35)
                    const auto q_s_1 = at.abs(q_h_v);
                    q_s_2_max.take(at, q_s_1);
                }, RowMax(q_s_2));
                VecF32_1x32 q_s_3_row(t1_valid); TASSIGN(q_s_3_row, 0x00200);  // as a row, same bytes as q_s_3
                VecF32_1x32 q_s_2_row(t1_valid); TASSIGN(q_s_2_row, 0x06200);  // as a row, same bytes as q_s_2
                TMAXS(q_s_3_row, q_s_2_row, 1e-35f);
                VecF32_1x32 q_s_row(t1_valid); TASSIGN(q_s_row, 0x00280);  // as a row, same bytes as q_s
                TDIVS(q_s_row, 127.0f, q_s_3_row);
                // return: [cast(f * s, int8, mode=rint), cast(1 / s, fp16)]
                VecF32_1x32 q_scale_1_row(t1_valid); TASSIGN(q_scale_1_row, 0x00200);  // as a row, same bytes as q_scale_1
                TDIVS(q_scale_1_row, 1.0f, q_s_row);
                VecF16_1x32 q_scale_tile_row(t1_valid); TASSIGN(q_scale_tile_row, 0x00300);  // as a row, same bytes as q_scale_tile
                TCVT(q_scale_tile_row, q_scale_1_row, RoundMode::CAST_RINT);
                VecF16_32x1 q_scale_tile(t1_valid); TASSIGN(q_scale_tile, 0x00300);  // UB 0x00300..0x00340
                QScaleGm q_scale_out(q_scale + int64_t(t1) * 64 + int64_t(heads0), {t1_valid});
                TSTORE(q_scale_out, q_scale_tile);
                VecF32_32x1 q_s(t1_valid); TASSIGN(q_s, 0x00280);  // UB 0x00280..0x00300
                QGm q_out(q + int64_t(t1) * 8192 + int64_t(heads0) * 128, {t1_valid});
                TPASS(t1_valid, 128, [&](auto at) {
                    const auto q_f_v = at.load(q_f);
                    const auto q_1 = q_f_v * at.column(q_s);
                    at.store(q_out, q_1, far);
                });
            }
        }
    }
}
