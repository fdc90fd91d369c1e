// query: mixed kernel of `mla_indexer_prolog` for cpu. Made by pyptogen; change the spec, not this file.
// stages query_up, query_split; tiles heads 1, t 256 / 32; memory L0A 393216 B, L0B 294912 B, L0C 196608 B, UB 21376 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftI8_256x1536 = TileLeft<int8_t, 256, 1536, DYNAMIC, 1536>;
using RightI8_1536x192 = TileRight<int8_t, 1536, 192, 1536, 192>;
using VecF32_1x192 = Tile<TileType::Vec, float, 1, 192, BLayout::RowMajor, 1, 192>;
using AccI32_256x192 = TileAcc<int32_t, 256, 192, DYNAMIC, 192>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_32x1 = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecB16_32x192 = Tile<TileType::Vec, bfloat16_t, 32, 192, BLayout::RowMajor, DYNAMIC, 192>;
using VecF32_32x64 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecB16_32x192_c64 = Tile<TileType::Vec, bfloat16_t, 32, 192, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_32x64_c32 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 32>;
using QQGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 1536>, Stride<1, 1, 1, 1536, 1>>;
using WUqGm = GlobalTensor<int8_t, Shape<1, 1, 1, 1536, 192>, Stride<1, 1, 1, 49152, 1>, Layout::CPU_PACKED>;
using WUqScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, 192>, Stride<1, 1, 1, 1, 1>>;
using QSGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using QBGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 192>, Stride<1, 1, 1, 6144, 1>>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 32>, Stride<1, 1, 1, 64, 1>>;
using QRopeGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 32>, Stride<1, 1, 1, 2048, 1>>;
}  // namespace

extern "C" __global__ AICORE void query(
    __gm__ bfloat16_t *q_b,
    __gm__ bfloat16_t *q_rope,
    __gm__ int8_t *q_q,
    __gm__ int8_t *w_uq,
    __gm__ float *q_s,
    __gm__ float *w_uq_scale,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 4096);  // q_rope: around the cache if large
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 256) {
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        // q_i: matmul(q_q, w_uq, dtype=int32)
        LeftI8_256x1536 q_q_tile(t0_valid); TASSIGN(q_q_tile, 0x00000);  // L0A 0x00000..0x60000
        QQGm q_q_in(q_q + int64_t(t0) * 1536, {t0_valid});
        TLOAD(q_q_tile, q_q_in);
        for (int32_t heads0 = block; heads0 < 32; heads0 += nblk) {
            RightI8_1536x192 w_uq_tile; TASSIGN(w_uq_tile, 0x00000);  // L0B 0x00000..0x48000
            WUqGm w_uq_in(w_uq + int64_t(heads0) * 294912);
            TLOAD(w_uq_tile, w_uq_in);
            // q_b: reshape(cast(cast(q_i, fp32) * q_s * w_uq_scale, bf16), [t, heads, nope + r])
            VecF32_1x192 w_uq_scale_tile; TASSIGN(w_uq_scale_tile, 0x00000);  // UB 0x00000..0x00300
            WUqScaleGm w_uq_scale_in(w_uq_scale + int64_t(heads0) * 192);
            TLOAD(w_uq_scale_tile, w_uq_scale_in);
            // q_i: matmul(q_q, w_uq, dtype=int32)
            AccI32_256x192 q_i_acc(t0_valid); TASSIGN(q_i_acc, 0x00000);  // L0C 0x00000..0x30000
            TMATMUL(q_i_acc, q_q_tile, w_uq_tile);
            for (int32_t t1 = t0; t1 < t0 + t0_valid; t1 += 32) {
                const int32_t t1_valid = t0 + t0_valid - t1 < 32 ? t0 + t0_valid - t1 : 32;
                // q_b: reshape(cast(cast(q_i, fp32) * q_s * w_uq_scale, bf16), [t, heads, nope + r])
                VecF32_1x32 q_s_tile_row(t1_valid); TASSIGN(q_s_tile_row, 0x00300);  // as a row, same bytes as q_s_tile
                QSGm q_s_in(q_s + int64_t(t1), {t1_valid});
                TLOAD(q_s_tile_row, q_s_in);
                VecF32_32x1 q_s_tile(t1_valid); TASSIGN(q_s_tile, 0x00300);  // UB 0x00300..0x00380
                VecB16_32x192 q_b_4(t1_valid); TASSIGN(q_b_4, 0x00380);  // UB 0x00380..0x03380
                QBGm q_b_out(q_b + int64_t(t1) * 6144 + int64_t(heads0) * 192, {t1_valid});
                TPASS(t1_valid, 192, [&](auto at) {
                    const auto q_i = at.extract(q_i_acc, t1 - t0);
                    const auto q_b_1 = at.to_float(q_i);
                    const auto q_b_2 = q_b_1 * at.column(q_s_tile);
                    const auto q_b_3 = q_b_2 * at.row(w_uq_scale_tile);
                    at.store(q_b_4, q_b_3);
                    at.store(q_b_out, q_b_3);
                });
                // q_rope: rope(q_b[:, :, nope:], cos[:, None, :], sin[:, None, :])
                VecF32_32x64 q_rope_x(t1_valid); TASSIGN(q_rope_x, 0x03380);  // UB 0x03380..0x05380
                VecB16_32x192_c64 q_rope_1(t1_valid); TASSIGN(q_rope_1, 0x00480);  // columns 128.. of q_b_4
                TCVT(q_rope_x, q_rope_1, RoundMode::CAST_RINT);
                VecF32_32x64_c32 q_rope_x1(t1_valid); TASSIGN(q_rope_x1, 0x03380);  // columns 0.. of q_rope_x
                VecF32_32x64_c32 q_rope_x2(t1_valid); TASSIGN(q_rope_x2, 0x03400);  // columns 32.. of q_rope_x
                CosGm cos_in(cos + int64_t(t1) * 64, {t1_valid});
                CosGm cos_in_2(cos + int64_t(t1) * 64 + 32, {t1_valid});
                CosGm sin_in(sin + int64_t(t1) * 64, {t1_valid});
                CosGm sin_in_2(sin + int64_t(t1) * 64 + 32, {t1_valid});
                QRopeGm q_rope_out(q_rope + int64_t(t1) * 2048 + int64_t(heads0) * 64, {t1_valid});
                QRopeGm q_rope_out_2(q_rope + int64_t(t1) * 2048 + int64_t(heads0) * 64 + 32, {t1_valid});
                TPASS(t1_valid, 32, [&](auto at) {
                    const auto cos_tile_1 = at.load(cos_in);
                    const auto cos_tile_2 = at.load(cos_in_2);
                    const auto sin_tile_1 = at.load(sin_in);
                    const auto sin_tile_2 = at.load(sin_in_2);
                    const auto q_rope_x1_v = at.load(q_rope_x1);
                    const auto q_rope_x1c1 = q_rope_x1_v * cos_tile_1;
                    const auto q_rope_x2_v = at.load(q_rope_x2);
                    const auto q_rope_x2s1 = q_rope_x2_v * sin_tile_1;
                    const auto q_rope_low = q_rope_x1c1 - q_rope_x2s1;
                    const auto q_rope_x2c2 = q_rope_x2_v * cos_tile_2;
                    const auto q_rope_x1s2 = q_rope_x1_v * sin_tile_2;
                    const auto q_rope_high = q_rope_x2c2 + q_rope_x1s2;
                    at.store(q_rope_out, q_rope_low, far);
                    at.store(q_rope_out_2, q_rope_high, far);
                });
            }
        }
    }
}
