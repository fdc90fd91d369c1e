// index_linear_to_index_quant: mixed kernel of `mla_indexer_prolog` for cpu. Made by pyptogen; change the spec, not this file.
// stages index_linear, index_rope, index_quant; tiles index_heads 1, t 256 / 32; memory L0A 401408 B, L0B 229376 B, L0C 147456 B, UB 25216 B
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
using HadamardGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;
using QQGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 1536>, Stride<1, 1, 1, 1536, 1>>;
using WIqGm = GlobalTensor<int8_t, Shape<1, 1, 1, 1536, 128>, Stride<1, 1, 1, 49152, 1>, Layout::CPU_PACKED>;
using WIqScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>>;
using QSGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 32>, Stride<1, 1, 1, 64, 1>>;
using IqScaleGm = GlobalTensor<half, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, 64, 1>>;
using IqGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 8192, 1>>;
}  // namespace

extern "C" __global__ AICORE void index_linear_to_index_quant(
    __gm__ int8_t *iq,
    __gm__ half *iq_scale,
    __gm__ int8_t *q_q,
    __gm__ int8_t *w_iq,
    __gm__ float *q_s,
    __gm__ float *w_iq_scale,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    __gm__ bfloat16_t *hadamard,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 8192);  // iq: around the cache if large
    // iq_h: matmul(iq_r, hadamard, dtype=bf16)
    RightB16_128x128 hadamard_tile; TASSIGN(hadamard_tile, 0x00000);  // L0B 0x00000..0x08000
    HadamardGm hadamard_in(hadamard);
    TLOAD(hadamard_tile, hadamard_in);
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 256) {
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        // iq_i: matmul(q_q, w_iq, dtype=int32)
        LeftI8_256x1536 q_q_tile(t0_valid); TASSIGN(q_q_tile, 0x00000);  // L0A 0x00000..0x60000
        QQGm q_q_in(q_q + int64_t(t0) * 1536, {t0_valid});
        TLOAD(q_q_tile, q_q_in);
        for (int32_t index_heads0 = block; index_heads0 < 64; index_heads0 += nblk) {
            RightI8_1536x128 w_iq_tile; TASSIGN(w_iq_tile, 0x08000);  // L0B 0x08000..0x38000
            WIqGm w_iq_in(w_iq + int64_t(index_heads0) * 196608);
            TLOAD(w_iq_tile, w_iq_in);
            // iq_b: reshape(cast(cast(iq_i, fp32) * q_s * w_iq_scale, bf16), [t, index_heads, d])
            VecF32_1x128 w_iq_scale_tile; TASSIGN(w_iq_scale_tile, 0x00000);  // UB 0x00000..0x00200
            WIqScaleGm w_iq_scale_in(w_iq_scale + int64_t(index_heads0) * 128);
            TLOAD(w_iq_scale_tile, w_iq_scale_in);
            // iq_i: matmul(q_q, w_iq, dtype=int32)
            AccI32_256x128 iq_i_acc(t0_valid); TASSIGN(iq_i_acc, 0x00000);  // L0C 0x00000..0x20000
            TMATMUL(iq_i_acc, q_q_tile, w_iq_tile);
            for (int32_t t1 = t0; t1 < t0 + t0_valid; t1 += 32) {
                const int32_t t1_valid = t0 + t0_valid - t1 < 32 ? t0 + t0_valid - t1 : 32;
                // iq_b: reshape(cast(cast(iq_i, fp32) * q_s * w_iq_scale, bf16), [t, index_heads, d])
                VecF32_1x32 q_s_tile_row(t1_valid); TASSIGN(q_s_tile_row, 0x00200);  // as a row, same bytes as q_s_tile
                QSGm q_s_in(q_s + int64_t(t1), {t1_valid});
                TLOAD(q_s_tile_row, q_s_in);
                VecF32_32x1 q_s_tile(t1_valid); TASSIGN(q_s_tile, 0x00200);  // UB 0x00200..0x00280
                VecB16_32x128 iq_b_4(t1_valid); TASSIGN(iq_b_4, 0x00280);  // UB 0x00280..0x02280
                TPASS(t1_valid, 128, [&](auto at) {
                    const auto iq_i = at.extract(iq_i_acc, t1 - t0);
                    const auto iq_b_1 = at.to_float(iq_i);
                    const auto iq_b_2 = iq_b_1 * at.column(q_s_tile);
                    const auto iq_b_3 = iq_b_2 * at.row(w_iq_scale_tile);
                    at.store(iq_b_4, iq_b_3);
                });
                // iq_r: concat(rope(iq_b[:, :, :r], cos[:, None, :], sin[:, None, :]), iq_b[:, :, r:], axis=-1)
                VecF32_32x64 iq_r_x(t1_valid); TASSIGN(iq_r_x, 0x02280);  // UB 0x02280..0x04280
                VecB16_32x128_c64 iq_r_1(t1_valid); TASSIGN(iq_r_1, 0x00280);  // columns 0.. of iq_b_4
                TCVT(iq_r_x, iq_r_1, RoundMode::CAST_RINT);
                VecF32_32x64_c32 iq_r_x1(t1_valid); TASSIGN(iq_r_x1, 0x02280);  // columns 0.. of iq_r_x
                VecF32_32x64_c32 iq_r_x2(t1_valid); TASSIGN(iq_r_x2, 0x02300);  // columns 32.. of iq_r_x
                VecF32_32x64_c32 iq_r_low(t1_valid); TASSIGN(iq_r_low, 0x04280);  // columns 0.. of iq_r_roped
                VecF32_32x64_c32 iq_r_high(t1_valid); TASSIGN(iq_r_high, 0x04300);  // columns 32.. of iq_r_roped
                CosGm cos_in(cos + int64_t(t1) * 64, {t1_valid});
                CosGm cos_in_2(cos + int64_t(t1) * 64 + 32, {t1_valid});
                CosGm sin_in(sin + int64_t(t1) * 64, {t1_valid});
                CosGm sin_in_2(sin + int64_t(t1) * 64 + 32, {t1_valid});
                TPASS(t1_valid, 32, [&](auto at) {
                    const auto cos_tile_1 = at.load(cos_in);
                    const auto cos_tile_2 = at.load(cos_in_2);
                    const auto sin_tile_1 = at.load(sin_in);
                    const auto sin_tile_2 = at.load(sin_in_2);
                    const auto iq_r_x1_v = at.load(iq_r_x1);
                    const auto iq_r_x1c1 = iq_r_x1_v * cos_tile_1;
                    const auto iq_r_x2_v = at.load(iq_r_x2);
                    const auto iq_r_x2s1 = iq_r_x2_v * sin_tile_1;
                    const auto iq_r_low_v = iq_r_x1c1 - iq_r_x2s1;
                    at.store(iq_r_low, iq_r_low_v);
                    const auto iq_r_x2c2 = iq_r_x2_v * cos_tile_2;
                    const auto iq_r_x1s2 = iq_r_x1_v * sin_tile_2;
                    const auto iq_r_high_v = iq_r_x2c2 + iq_r_x1s2;
                    at.store(iq_r_high, iq_r_high_v);
                });
                VecB16_32x128_c64 iq_r_rope(t1_valid); TASSIGN(iq_r_rope, 0x00280);  // columns 0.. of iq_b_4
                VecF32_32x64 iq_r_roped(t1_valid); TASSIGN(iq_r_roped, 0x04280);  // UB 0x04280..0x06280
                TCVT(iq_r_rope, iq_r_roped, RoundMode::CAST_RINT);
                // iq_h: matmul(iq_r, hadamard, dtype=bf16)
                LeftB16_32x128 iq_b_4_l0a(t1_valid); TASSIGN(iq_b_4_l0a, 0x60000);  // L0A 0x60000..0x62000
                TMOV(iq_b_4_l0a, iq_b_4);
                AccF32_32x128 iq_h_acc(t1_valid); TASSIGN(iq_h_acc, 0x20000);  // L0C 0x20000..0x24000
                TMATMUL(iq_h_acc, iq_b_4_l0a, hadamard_tile);
                // f: cast(v, fp32)
                VecB16_32x128 iq_h(t1_valid); TASSIGN(iq_h, 0x00200);  // UB 0x00200..0x02200
                TEXTRACT(iq_h, iq_h_acc, 0, 0);
                VecF32_32x128 iq_f(t1_valid); TASSIGN(iq_f, 0x02200);  // UB 0x02200..0x06200
                VecF32_32x1 iq_s_2(t1_valid); TASSIGN(iq_s_2, 0x06200);  // UB 0x06200..0x06280
                TPASS(t1_valid, 128, [&](auto at, auto &iq_s_2_max) {
                    const auto iq_h_v = at.load(iq_h);
                    at.store(iq_f, iq_h_v);
                    // s: 127 / maximum(amax(abs(f), axis=-1, keepdim=true), 1.0e-35)
                    const auto iq_s_1 = at.abs(iq_h_v);
                    iq_s_2_max.take(at, iq_s_1);
                }, RowMax(iq_s_2));
                VecF32_1x32 iq_s_3_row(t1_valid); TASSIGN(iq_s_3_row, 0x00200);  // as a row, same bytes as iq_s_3
                VecF32_1x32 iq_s_2_row(t1_valid); TASSIGN(iq_s_2_row, 0x06200);  // as a row, same bytes as iq_s_2
                TMAXS(iq_s_3_row, iq_s_2_row, 1e-35f);
                VecF32_1x32 iq_s_row(t1_valid); TASSIGN(iq_s_row, 0x00280);  // as a row, same bytes as iq_s
                TDIVS(iq_s_row, 127.0f, iq_s_3_row);
                // return: [cast(f * s, int8, mode=rint), cast(1 / s, fp16)]
                VecF32_1x32 iq_scale_1_row(t1_valid); TASSIGN(iq_scale_1_row, 0x00200);  // as a row, same bytes as iq_scale_1
                TDIVS(iq_scale_1_row, 1.0f, iq_s_row);
                VecF16_1x32 iq_scale_tile_row(t1_valid); TASSIGN(iq_scale_tile_row, 0x00300);  // as a row, same bytes as iq_scale_tile
                TCVT(iq_scale_tile_row, iq_scale_1_row, RoundMode::CAST_RINT);
                VecF16_32x1 iq_scale_tile(t1_valid); TASSIGN(iq_scale_tile, 0x00300);  // UB 0x00300..0x00340
                IqScaleGm iq_scale_out(iq_scale + int64_t(t1) * 64 + int64_t(index_heads0), {t1_valid});
                TSTORE(iq_scale_out, iq_scale_tile);
                VecF32_32x1 iq_s(t1_valid); TASSIGN(iq_s, 0x00280);  // UB 0x00280..0x00300
                IqGm iq_out(iq + int64_t(t1) * 8192 + int64_t(index_heads0) * 128, {t1_valid});
                TPASS(t1_valid, 128, [&](auto at) {
                    const auto iq_f_v = at.load(iq_f);
                    const auto iq_1 = iq_f_v * at.column(iq_s);
                    at.store(iq_out, iq_1, far);
                });
            }
        }
    }
}
