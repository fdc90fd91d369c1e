// flash_attention: mixed kernel of `flash_attention` for cpu. Made by pyptogen; change the spec, not this file.
// stages flash_attention; tiles heads 1, kv 512, sq 1024 / 128; memory L0A 131072 B, L0B 262144 B, L0C 262144 B, UB 534016 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x1024 = Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1024x128 = Tile<TileType::Vec, float, 1024, 128, BLayout::RowMajor, DYNAMIC, 128>;
using RightB16_128x512 = TileRight<bfloat16_t, 128, 512, 128, DYNAMIC>;
using RightB16_512x128 = TileRight<bfloat16_t, 512, 128, DYNAMIC, 128>;
using LeftB16_128x128 = TileLeft<bfloat16_t, 128, 128, DYNAMIC, 128>;
using AccF32_128x512 = TileAcc<float, 128, 512, DYNAMIC, DYNAMIC>;
using VecF32_128x1 = Tile<TileType::Vec, float, 128, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, DYNAMIC>;
using LeftB16_128x512 = TileLeft<bfloat16_t, 128, 512, DYNAMIC, DYNAMIC>;
using AccF32_128x128 = TileAcc<float, 128, 128, DYNAMIC, 128>;
using VecF32_128x128 = Tile<TileType::Vec, float, 128, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_1024x1 = Tile<TileType::Vec, float, 1024, 1, BLayout::ColMajor, DYNAMIC, 1>;
using KGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, 1, 128>, Layout::DN>;
using VGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void flash_attention(
    __gm__ bfloat16_t *o,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k,
    __gm__ bfloat16_t *v,
    float scale,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(sq_end - sq_begin) * 2048);  // o: around the cache if large
    for (int32_t sq0 = sq_begin; sq0 < sq_end; sq0 += 1024) {
        const int32_t sq0_valid = sq_end - sq0 < 1024 ? sq_end - sq0 : 1024;
        for (int32_t heads0 = block; heads0 < 8; heads0 += nblk) {
            // o: attention(q, k, v, scale=scale)
            VecF32_1x1024 o_max_row(sq0_valid); TASSIGN(o_max_row, 0x00000);  // as a row, same bytes as o_max
            TEXPANDS(o_max_row, -__builtin_inff());
            VecF32_1x1024 o_sum_row(sq0_valid); TASSIGN(o_sum_row, 0x01000);  // as a row, same bytes as o_sum
            TEXPANDS(o_sum_row, 0.0f);
            VecF32_1024x128 o_acc(sq0_valid); TASSIGN(o_acc, 0x02000);  // UB 0x02000..0x82000
            TEXPANDS(o_acc, 0.0f);
            for (int32_t kv0 = 0; kv0 < kv; kv0 += 512) {
                const int32_t kv0_valid = kv - kv0 < 512 ? kv - kv0 : 512;
                RightB16_128x512 k_tile(kv0_valid); TASSIGN(k_tile, 0x00000);  // L0B 0x00000..0x20000
                KGm k_in(k + int64_t(heads0) * kv * 128 + int64_t(kv0) * 128, {kv0_valid});
                TLOAD(k_tile, k_in);
                RightB16_512x128 v_tile(kv0_valid); TASSIGN(v_tile, 0x20000);  // L0B 0x20000..0x40000
                VGm v_in(v + int64_t(heads0) * kv * 128 + int64_t(kv0) * 128, {kv0_valid});
                TLOAD(v_tile, v_in);
                for (int32_t sq1 = sq0; sq1 < sq0 + sq0_valid; sq1 += 128) {
                    const int32_t sq1_valid = sq0 + sq0_valid - sq1 < 128 ? sq0 + sq0_valid - sq1 : 128;
                    LeftB16_128x128 q_tile(sq1_valid); TASSIGN(q_tile, 0x00000);  // L0A 0x00000..0x08000
                    VGm q_in(q + int64_t(heads0) * sq * 128 + int64_t(sq1) * 128, {sq1_valid});
                    TLOAD(q_tile, q_in);
                    AccF32_128x512 o_qk_acc(sq1_valid, kv0_valid); TASSIGN(o_qk_acc, 0x00000);  // L0C 0x00000..0x40000
                    TMATMUL(o_qk_acc, q_tile, k_tile);
                    VecF32_128x1 o_block_max(sq1_valid); TASSIGN(o_block_max, 0x82000);  // UB 0x82000..0x82200
                    TPASS(sq1_valid, kv0_valid, [&](auto at, auto &o_block_max_max) {
                        const auto o_qk = at.extract(o_qk_acc, 0);
                        const auto o_s = o_qk * at.all(scale);
                        o_block_max_max.take(at, o_s);
                    }, RowMax(o_block_max));
                    VecF32_1x128 o_max_next_row(sq1_valid); TASSIGN(o_max_next_row, 0x82200);  // as a row, same bytes as o_max_next
                    VecF32_1x128 o_max_rows_row(sq1_valid); TASSIGN(o_max_rows_row, 0x00000 + sq1 * 0x00004 - sq0 * 0x00004);  // rows sq1 - sq0.. of o_max
                    VecF32_1x128 o_block_max_row(sq1_valid); TASSIGN(o_block_max_row, 0x82000);  // as a row, same bytes as o_block_max
                    TMAX(o_max_next_row, o_max_rows_row, o_block_max_row);
                    VecF32_1x128 o_max_step_row(sq1_valid); TASSIGN(o_max_step_row, 0x82000);  // as a row, same bytes as o_max_step
                    TSUB(o_max_step_row, o_max_rows_row, o_max_next_row);
                    VecF32_1x128 o_alpha_row(sq1_valid); TASSIGN(o_alpha_row, 0x82400);  // as a row, same bytes as o_alpha
                    TEXP(o_alpha_row, o_max_step_row);
                    VecF32_1x128 o_sum_rows_row(sq1_valid); TASSIGN(o_sum_rows_row, 0x01000 + sq1 * 0x00004 - sq0 * 0x00004);  // rows sq1 - sq0.. of o_sum
                    TMUL(o_sum_rows_row, o_sum_rows_row, o_alpha_row);
                    TMOV(o_max_rows_row, o_max_next_row);
                    VecF32_128x1 o_max_next(sq1_valid); TASSIGN(o_max_next, 0x82200);  // UB 0x82200..0x82400
                    VecF32_128x1 o_block_sum(sq1_valid); TASSIGN(o_block_sum, 0x82000);  // UB 0x82000..0x82200
                    LeftB16_128x512 o_p_low_l0a(sq1_valid, kv0_valid); TASSIGN(o_p_low_l0a, 0x00000);  // L0A 0x00000..0x20000
                    TPASS<4>(sq1_valid, kv0_valid, [&](auto at, auto &o_block_sum_sum, auto &o_p_low_l0a_rows) {
                        const auto o_qk = at.extract(o_qk_acc, 0);
                        const auto o_s = o_qk * at.all(scale);
                        const auto o_below_max = o_s - at.column(o_max_next);
                        const auto o_p = at.exp(o_below_max);
                        o_block_sum_sum.take(at, o_p);
                        o_p_low_l0a_rows.take(at, o_p);
                    }, RowSum(o_block_sum), LeftRows(o_p_low_l0a));
                    VecF32_1x128 o_block_sum_row(sq1_valid); TASSIGN(o_block_sum_row, 0x82000);  // as a row, same bytes as o_block_sum
                    TADD(o_sum_rows_row, o_sum_rows_row, o_block_sum_row);
                    AccF32_128x128 o_pv_acc(sq1_valid); TASSIGN(o_pv_acc, 0x00000);  // L0C 0x00000..0x10000
                    TMATMUL(o_pv_acc, o_p_low_l0a, v_tile);
                    VecF32_128x128 o_acc_rows(sq1_valid); TASSIGN(o_acc_rows, 0x02000 + sq1 * 0x00200 - sq0 * 0x00200);  // rows sq1 - sq0.. of o_acc
                    VecF32_128x1 o_alpha(sq1_valid); TASSIGN(o_alpha, 0x82400);  // UB 0x82400..0x82600
                    TPASS(sq1_valid, 128, [&](auto at) {
                        const auto o_acc_rows_v = at.load(o_acc_rows);
                        const auto o_acc_rows_v_2 = o_acc_rows_v * at.column(o_alpha);
                        const auto o_pv = at.extract(o_pv_acc, 0);
                        const auto o_acc_rows_v_3 = o_acc_rows_v_2 + o_pv;
                        at.store(o_acc_rows, o_acc_rows_v_3);
                    });
                }
            }
            VecF32_1024x1 o_sum(sq0_valid); TASSIGN(o_sum, 0x01000);  // UB 0x01000..0x02000
            VGm o_out(o + int64_t(heads0) * sq * 128 + int64_t(sq0) * 128, {sq0_valid});
            TPASS(sq0_valid, 128, [&](auto at, auto &o_sum_divisor) {
                const auto o_acc_v = at.load(o_acc);
                const auto o_1 = o_acc_v / o_sum_divisor;
                at.store(o_out, o_1, far);
            }, Divisor(o_sum));
        }
    }
}
