// flash_attention: mixed kernel of `flash_attention` for cpu. Made by pyptogen; change the spec, not this file.
// stages flash_attention; tiles heads 1, kv 256, sq 512 / 16; memory L0A 393216 B, L0B 65536 B, L0C 524288 B, UB 547008 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftB16_512x128 = TileLeft<bfloat16_t, 512, 128, DYNAMIC, 128>;
using VecF32_1x512 = Tile<TileType::Vec, float, 1, 512, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_512x128 = Tile<TileType::Vec, float, 512, 128, BLayout::RowMajor, DYNAMIC, 128>;
using RightB16_128x256 = TileRight<bfloat16_t, 128, 256, 128, DYNAMIC>;
using AccF32_512x256 = TileAcc<float, 512, 256, DYNAMIC, DYNAMIC>;
using VecF32_16x256 = Tile<TileType::Vec, float, 16, 256, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, DYNAMIC>;
using VecB16_16x256 = Tile<TileType::Vec, bfloat16_t, 16, 256, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using RightB16_256x128 = TileRight<bfloat16_t, 256, 128, DYNAMIC, 128>;
using LeftB16_512x256 = TileLeft<bfloat16_t, 512, 256, DYNAMIC, DYNAMIC>;
using VecB16_512x256 = Tile<TileType::Vec, bfloat16_t, 512, 256, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using AccF32_512x128 = TileAcc<float, 512, 128, DYNAMIC, 128>;
using VecF32_16x128 = Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_512x1 = Tile<TileType::Vec, float, 512, 1, BLayout::ColMajor, DYNAMIC, 1>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using KGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, 1, 128>, Layout::DN>;
}  // namespace

extern "C" __global__ AICORE void flash_attention(
    __gm__ bfloat16_t *o,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k,
    __gm__ bfloat16_t *v,
    float scale,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t kv,
    int32_t sq,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(sq_end - sq_begin) * 2048);  // o: around the cache if large
    for (int32_t sq0 = sq_begin; sq0 < sq_end; sq0 += 512) {
        const int32_t sq0_valid = sq_end - sq0 < 512 ? sq_end - sq0 : 512;
        for (int32_t heads0 = block; heads0 < 8; heads0 += nblk) {
            // o: attention(q, k, v, scale=scale)  [flash_attention.yaml:22]
            LeftB16_512x128 q_tile(sq0_valid); TASSIGN(q_tile, 0x00000);  // L0A 0x00000..0x20000
            QGm q_in(q + int64_t(heads0) * sq * 128 + int64_t(sq0) * 128, {sq0_valid});
            TLOAD(q_tile, q_in);
            VecF32_1x512 o_o_max_row(sq0_valid); TASSIGN(o_o_max_row, 0x00880);  // as a row, same bytes as o_o_max
            TEXPANDS(o_o_max_row, -__builtin_inff());
            VecF32_1x512 o_o_sum_row(sq0_valid); TASSIGN(o_o_sum_row, 0x01080);  // as a row, same bytes as o_o_sum
            TEXPANDS(o_o_sum_row, 0.0f);
            VecF32_512x128 o_o_acc(sq0_valid); TASSIGN(o_o_acc, 0x41880);  // UB 0x41880..0x81880
            TEXPANDS(o_o_acc, 0.0f);
            for (int32_t kv0 = 0; kv0 < kv; kv0 += 256) {
                const int32_t kv0_valid = kv - kv0 < 256 ? kv - kv0 : 256;
                RightB16_128x256 o_keys(kv0_valid); TASSIGN(o_keys, 0x00000);  // L0B 0x00000..0x10000
                KGm k_in(k + int64_t(heads0) * kv * 128 + int64_t(kv0) * 128, {kv0_valid});
                TLOAD(o_keys, k_in);
                AccF32_512x256 o_1_acc(sq0_valid, kv0_valid); TASSIGN(o_1_acc, 0x00000);  // L0C 0x00000..0x80000
                TMATMUL(o_1_acc, q_tile, o_keys);
                for (int32_t sq1 = sq0; sq1 < sq0 + sq0_valid; sq1 += 16) {
                    const int32_t sq1_valid = sq0 + sq0_valid - sq1 < 16 ? sq0 + sq0_valid - sq1 : 16;
                    VecF32_16x256 o_s(sq1_valid, kv0_valid); TASSIGN(o_s, 0x81880);  // UB 0x81880..0x85880
                    VecF32_16x1 o_block_max(sq1_valid); TASSIGN(o_block_max, 0x85880);  // UB 0x85880..0x858c0
                    TPASS(sq1_valid, kv0_valid, [&](auto at, auto &o_block_max_max) {
                        const auto o_1 = at.extract(o_1_acc, sq1 - sq0);
                        const auto o_s_v = o_1 * at.all(scale);
                        at.store(o_s, o_s_v);
                        o_block_max_max.take(at, o_s_v);
                    }, RowMax(o_block_max));
                    VecF32_1x16 o_max_next_row(sq1_valid); TASSIGN(o_max_next_row, 0x00840);  // as a row, same bytes as o_max_next
                    VecF32_1x16 o_o_max_rows_row(sq1_valid); TASSIGN(o_o_max_rows_row, 0x00880 + sq1 * 0x00004 - sq0 * 0x00004);  // rows sq1 - sq0.. of o_o_max
                    VecF32_1x16 o_block_max_row(sq1_valid); TASSIGN(o_block_max_row, 0x85880);  // as a row, same bytes as o_block_max
                    TMAX(o_max_next_row, o_o_max_rows_row, o_block_max_row);
                    VecF32_1x16 o_3_row(sq1_valid); TASSIGN(o_3_row, 0x00000);  // as a row, same bytes as o_3
                    TSUB(o_3_row, o_o_max_rows_row, o_max_next_row);
                    VecF32_1x16 o_alpha_rows_row(sq1_valid); TASSIGN(o_alpha_rows_row, 0x00040 + sq1 * 0x00004 - sq0 * 0x00004);  // rows sq1 - sq0.. of o_alpha
                    TEXP(o_alpha_rows_row, o_3_row);
                    VecF32_1x16 o_o_sum_rows_row(sq1_valid); TASSIGN(o_o_sum_rows_row, 0x01080 + sq1 * 0x00004 - sq0 * 0x00004);  // rows sq1 - sq0.. of o_o_sum
                    TMUL(o_o_sum_rows_row, o_o_sum_rows_row, o_alpha_rows_row);
                    TMOV(o_o_max_rows_row, o_max_next_row);
                    VecF32_16x1 o_max_next(sq1_valid); TASSIGN(o_max_next, 0x00840);  // UB 0x00840..0x00880
                    VecF32_16x1 o_block_sum(sq1_valid); TASSIGN(o_block_sum, 0x85880);  // UB 0x85880..0x858c0
                    VecB16_16x256 o_p_low_rows(sq1_valid, kv0_valid); TASSIGN(o_p_low_rows, 0x01880 + sq1 * 0x00200 - sq0 * 0x00200);  // rows sq1 - sq0.. of o_p_low
                    TPASS(sq1_valid, kv0_valid, [&](auto at, auto &o_block_sum_sum) {
                        const auto o_s_v = at.load(o_s);
                        const auto o_2 = o_s_v - at.column(o_max_next);
                        const auto o_p = at.exp(o_2);
                        o_block_sum_sum.take(at, o_p);
                        at.store(o_p_low_rows, o_p);
                    }, RowSum(o_block_sum));
                    VecF32_1x16 o_block_sum_row(sq1_valid); TASSIGN(o_block_sum_row, 0x85880);  // as a row, same bytes as o_block_sum
                    TADD(o_o_sum_rows_row, o_o_sum_rows_row, o_block_sum_row);
                }
                RightB16_256x128 o_v_block(kv0_valid); TASSIGN(o_v_block, 0x00000);  // L0B 0x00000..0x10000
                QGm v_in(v + int64_t(heads0) * kv * 128 + int64_t(kv0) * 128, {kv0_valid});
                TLOAD(o_v_block, v_in);
                LeftB16_512x256 o_p_low_l0a(sq0_valid, kv0_valid); TASSIGN(o_p_low_l0a, 0x20000);  // L0A 0x20000..0x60000
                VecB16_512x256 o_p_low(sq0_valid, kv0_valid); TASSIGN(o_p_low, 0x01880);  // UB 0x01880..0x41880
                TMOV(o_p_low_l0a, o_p_low);
                AccF32_512x128 o_5_acc(sq0_valid); TASSIGN(o_5_acc, 0x00000);  // L0C 0x00000..0x40000
                TMATMUL(o_5_acc, o_p_low_l0a, o_v_block);
                for (int32_t sq1 = sq0; sq1 < sq0 + sq0_valid; sq1 += 16) {
                    const int32_t sq1_valid = sq0 + sq0_valid - sq1 < 16 ? sq0 + sq0_valid - sq1 : 16;
                    VecF32_16x128 o_o_acc_rows(sq1_valid); TASSIGN(o_o_acc_rows, 0x41880 + sq1 * 0x00200 - sq0 * 0x00200);  // rows sq1 - sq0.. of o_o_acc
                    VecF32_16x1 o_alpha_rows_2(sq1_valid); TASSIGN(o_alpha_rows_2, 0x00040 + sq1 * 0x00004 - sq0 * 0x00004);  // rows sq1 - sq0.. of o_alpha
                    TPASS(sq1_valid, 128, [&](auto at) {
                        const auto o_o_acc_rows_v = at.load(o_o_acc_rows);
                        const auto o_o_acc_rows_v_2 = o_o_acc_rows_v * at.column(o_alpha_rows_2);
                        const auto o_5 = at.extract(o_5_acc, sq1 - sq0);
                        const auto o_o_acc_rows_v_3 = o_o_acc_rows_v_2 + o_5;
                        at.store(o_o_acc_rows, o_o_acc_rows_v_3);
                    });
                }
            }
            VecF32_512x1 o_o_sum(sq0_valid); TASSIGN(o_o_sum, 0x01080);  // UB 0x01080..0x01880
            QGm o_out(o + int64_t(heads0) * sq * 128 + int64_t(sq0) * 128, {sq0_valid});
            TPASS(sq0_valid, 128, [&](auto at, auto &o_o_sum_divisor) {
                const auto o_o_acc_v = at.load(o_o_acc);
                const auto o_7 = o_o_acc_v / o_o_sum_divisor;
                at.store(o_out, o_7, far);
            }, Divisor(o_o_sum));
        }
    }
}
