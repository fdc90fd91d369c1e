// flash_attention_grouped: mixed kernel of `flash_attention_grouped` for cpu. Made by pyptogen; change the spec, not this file.
// stages flash_attention_grouped; tiles group 1, kv 256, kv_heads 1, sq 512 / 128; memory L0A 65536 B, L0B 65536 B, L0C 131072 B, UB 270848 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x512 = Tile<TileType::Vec, int32_t, 1, 512, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x512 = Tile<TileType::Vec, float, 1, 512, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_512x64 = Tile<TileType::Vec, float, 512, 64, BLayout::RowMajor, DYNAMIC, 64>;
using RightF16_64x256 = TileRight<half, 64, 256, 64, DYNAMIC>;
using RightF16_256x64 = TileRight<half, 256, 64, DYNAMIC, 64>;
using VecI32_1x256 = Tile<TileType::Vec, int32_t, 1, 256, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x256 = Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, DYNAMIC>;
using LeftF16_128x64 = TileLeft<half, 128, 64, DYNAMIC, 64>;
using AccF32_128x256 = TileAcc<float, 128, 256, DYNAMIC, DYNAMIC>;
using VecF32_128x1 = Tile<TileType::Vec, float, 128, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_128x256 = Tile<TileType::Vec, float, 128, 256, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, DYNAMIC>;
using LeftF16_128x256 = TileLeft<half, 128, 256, DYNAMIC, DYNAMIC>;
using AccF32_128x64 = TileAcc<float, 128, 64, DYNAMIC, 64>;
using VecF32_128x64 = Tile<TileType::Vec, float, 128, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_512x1 = Tile<TileType::Vec, float, 512, 1, BLayout::ColMajor, DYNAMIC, 1>;
using KGm = GlobalTensor<half, Shape<1, 1, 1, 64, DYNAMIC>, Stride<1, 1, 1, 1, 64>, Layout::DN>;
using VGm = GlobalTensor<half, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 64, 1>>;
}  // namespace

extern "C" __global__ AICORE void flash_attention_grouped(
    __gm__ half *o,
    __gm__ half *q,
    __gm__ half *k,
    __gm__ half *v,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(sq_end - sq_begin) * 1024);  // o: around the cache if large
    for (int32_t sq0 = sq_begin + block * 512; sq0 < sq_end; sq0 += nblk * 512) {
        const int32_t sq0_valid = sq_end - sq0 < 512 ? sq_end - sq0 : 512;
        // o: attention(q, k, v, causal=true)
        VecI32_1x512 o_row_place_row(sq0_valid); TASSIGN(o_row_place_row, 0x00000);  // as a row, same bytes as o_row_place
        TCI<VecI32_1x512, int32_t, 0>(o_row_place_row, kv + sq0 - sq);
        VecF32_1x512 o_row_number_row(sq0_valid); TASSIGN(o_row_number_row, 0x00800);  // as a row, same bytes as o_row_number
        TCVT(o_row_number_row, o_row_place_row, RoundMode::CAST_RINT);
        VecF32_1x512 o_1_row(sq0_valid); TASSIGN(o_1_row, 0x00000);  // as a row, same bytes as o_1
        TADDS(o_1_row, o_row_number_row, 0.5f);
        VecF32_1x512 o_limit_row(sq0_valid); TASSIGN(o_limit_row, 0x00800);  // as a row, same bytes as o_limit
        TMULS(o_limit_row, o_1_row, 1e+30f);
        for (int32_t kv_heads0 = 0; kv_heads0 < 2; ++kv_heads0) {
            for (int32_t group0 = 0; group0 < 4; ++group0) {
                VecF32_1x512 o_max_row(sq0_valid); TASSIGN(o_max_row, 0x00000);  // as a row, same bytes as o_max
                TEXPANDS(o_max_row, -__builtin_inff());
                VecF32_1x512 o_sum_row(sq0_valid); TASSIGN(o_sum_row, 0x01000);  // as a row, same bytes as o_sum
                TEXPANDS(o_sum_row, 0.0f);
                VecF32_512x64 o_acc(sq0_valid); TASSIGN(o_acc, 0x01800);  // UB 0x01800..0x21800
                TEXPANDS(o_acc, 0.0f);
                const int32_t kv0_end = kv + sq0 + sq0_valid - sq < kv ? kv + sq0 + sq0_valid - sq : kv;  // causal bound: later blocks are masked
                for (int32_t kv0 = 0; kv0 < kv0_end; kv0 += 256) {
                    const int32_t kv0_valid = kv - kv0 < 256 ? kv - kv0 : 256;
                    RightF16_64x256 k_tile(kv0_valid); TASSIGN(k_tile, 0x00000);  // L0B 0x00000..0x08000
                    KGm k_in(k + int64_t(kv) * kv_heads0 * 64 + int64_t(kv0) * 64, {kv0_valid});
                    TLOAD(k_tile, k_in);
                    RightF16_256x64 v_tile(kv0_valid); TASSIGN(v_tile, 0x08000);  // L0B 0x08000..0x10000
                    VGm v_in(v + int64_t(kv) * kv_heads0 * 64 + int64_t(kv0) * 64, {kv0_valid});
                    TLOAD(v_tile, v_in);
                    VecI32_1x256 o_key_place(kv0_valid); TASSIGN(o_key_place, 0x21800);  // UB 0x21800..0x21c00
                    TCI<VecI32_1x256, int32_t, 0>(o_key_place, kv0);
                    VecF32_1x256 o_key_far(kv0_valid); TASSIGN(o_key_far, 0x21c00);  // UB 0x21c00..0x22000
                    TPASS(1, kv0_valid, [&](auto at) {
                        const auto o_key_place_v = at.load(o_key_place);
                        const auto o_key_number = at.to_float(o_key_place_v);
                        const auto o_key_far_v = o_key_number * 1e+30f;
                        at.store(o_key_far, o_key_far_v);
                    });
                    const int32_t sq1_begin = kv0 + sq - kv - sq0 > 0 ? sq0 + (kv0 + sq - kv - sq0) / 128 * 128 : sq0;  // rows before this: their causal bound is ahead of this block
                    const int32_t sq1_end = kv0 + sq + 255 - kv < sq0 + sq0_valid ? kv0 + sq + 255 - kv : sq0 + sq0_valid;  // rows from here on: their causal bound is behind this block
                    for (int32_t sq1 = sq1_begin; sq1 < sq1_end; sq1 += 128) {
                        const int32_t sq1_valid = sq0 + sq0_valid - sq1 < 128 ? sq0 + sq0_valid - sq1 : 128;
                        if (const int32_t kv1 = kv0; kv1 < kv + sq1 + sq1_valid - sq) {  // up to the causal bound of these rows
                            const int32_t kv1_valid = kv + sq1 + sq1_valid - kv1 - sq < 256 ? kv + sq1 + sq1_valid - kv1 - sq : 256;
                            LeftF16_128x64 q_tile_part(sq1_valid); TASSIGN(q_tile_part, 0x00000);  // L0A 0x00000..0x04000
                            VGm q_in(q + int64_t(kv_heads0) * sq * 256 + int64_t(group0) * sq * 64 + int64_t(sq1) * 64, {sq1_valid});
                            TLOAD(q_tile_part, q_in);
                            AccF32_128x256 o_qk_acc_part(sq1_valid, kv1_valid); TASSIGN(o_qk_acc_part, 0x00000);  // L0C 0x00000..0x20000
                            RightF16_64x256 k_tile_part(kv1_valid); TASSIGN(k_tile_part, 0x00000);  // columns 0.. of k_tile
                            TMATMUL(o_qk_acc_part, q_tile_part, k_tile_part);
                            VecF32_128x1 o_limit_rows_part(sq1_valid); TASSIGN(o_limit_rows_part, 0x00800 + sq1 * 0x00004 - sq0 * 0x00004);  // rows sq1 - sq0.. of o_limit
                            VecF32_1x256 o_key_far_part(kv1_valid); TASSIGN(o_key_far_part, 0x21c00);  // columns 0.. of o_key_far
                            VecF32_128x256 o_s_masked_part(sq1_valid, kv1_valid); TASSIGN(o_s_masked_part, 0x22000);  // UB 0x22000..0x42000
                            VecF32_128x1 o_block_max_part(sq1_valid); TASSIGN(o_block_max_part, 0x21800);  // UB 0x21800..0x21a00
                            TPASS(sq1_valid, kv1_valid, [&](auto at, auto &o_block_max_part_max) {
                                const auto o_qk_part = at.extract(o_qk_acc_part, 0);
                                const auto o_s_part = o_qk_part * 0.125f;
                                const auto o_mask_part = at.column(o_limit_rows_part);
                                const auto o_mask_part_2 = o_mask_part - at.row(o_key_far_part);
                                const auto o_s_masked_part_v = at.min(o_s_part, o_mask_part_2);
                                at.store(o_s_masked_part, o_s_masked_part_v);
                                o_block_max_part_max.take(at, o_s_masked_part_v);
                            }, RowMax(o_block_max_part));
                            VecF32_1x128 o_max_next_part_row(sq1_valid); TASSIGN(o_max_next_part_row, 0x21a00);  // as a row, same bytes as o_max_next_part
                            VecF32_1x128 o_max_rows_part_row(sq1_valid); TASSIGN(o_max_rows_part_row, 0x00000 + sq1 * 0x00004 - sq0 * 0x00004);  // rows sq1 - sq0.. of o_max
                            VecF32_1x128 o_block_max_part_row(sq1_valid); TASSIGN(o_block_max_part_row, 0x21800);  // as a row, same bytes as o_block_max_part
                            TMAX(o_max_next_part_row, o_max_rows_part_row, o_block_max_part_row);
                            VecF32_1x128 o_max_step_part_row(sq1_valid); TASSIGN(o_max_step_part_row, 0x21800);  // as a row, same bytes as o_max_step_part
                            TSUB(o_max_step_part_row, o_max_rows_part_row, o_max_next_part_row);
                            VecF32_1x128 o_alpha_part_row(sq1_valid); TASSIGN(o_alpha_part_row, 0x42000);  // as a row, same bytes as o_alpha_part
                            TEXP(o_alpha_part_row, o_max_step_part_row);
                            VecF32_1x128 o_sum_rows_part_row(sq1_valid); TASSIGN(o_sum_rows_part_row, 0x01000 + sq1 * 0x00004 - sq0 * 0x00004);  // rows sq1 - sq0.. of o_sum
                            TMUL(o_sum_rows_part_row, o_sum_rows_part_row, o_alpha_part_row);
                            TMOV(o_max_rows_part_row, o_max_next_part_row);
                            VecF32_128x1 o_max_next_part(sq1_valid); TASSIGN(o_max_next_part, 0x21a00);  // UB 0x21a00..0x21c00
                            VecF32_128x1 o_block_sum_part(sq1_valid); TASSIGN(o_block_sum_part, 0x21800);  // UB 0x21800..0x21a00
                            LeftF16_128x256 o_p_low_part_l0a(sq1_valid, kv1_valid); TASSIGN(o_p_low_part_l0a, 0x00000);  // L0A 0x00000..0x10000
                            TPASS<4>(sq1_valid, kv1_valid, [&](auto at, auto &o_block_sum_part_sum, auto &o_p_low_part_l0a_rows) {
                                const auto o_s_masked_part_v = at.load(o_s_masked_part);
                                const auto o_below_max_part = o_s_masked_part_v - at.column(o_max_next_part);
                                const auto o_p_part = at.exp(o_below_max_part);
                                o_block_sum_part_sum.take(at, o_p_part);
                                o_p_low_part_l0a_rows.take(at, o_p_part);
                            }, RowSum(o_block_sum_part), LeftRows(o_p_low_part_l0a));
                            VecF32_1x128 o_block_sum_part_row(sq1_valid); TASSIGN(o_block_sum_part_row, 0x21800);  // as a row, same bytes as o_block_sum_part
                            TADD(o_sum_rows_part_row, o_sum_rows_part_row, o_block_sum_part_row);
                            AccF32_128x64 o_pv_acc_part(sq1_valid); TASSIGN(o_pv_acc_part, 0x00000);  // L0C 0x00000..0x08000
                            RightF16_256x64 v_tile_part(kv1_valid); TASSIGN(v_tile_part, 0x08000);  // rows 0.. of v_tile
                            TMATMUL(o_pv_acc_part, o_p_low_part_l0a, v_tile_part);
                            VecF32_128x64 o_acc_rows_part(sq1_valid); TASSIGN(o_acc_rows_part, 0x01800 + sq1 * 0x00100 - sq0 * 0x00100);  // rows sq1 - sq0.. of o_acc
                            VecF32_128x1 o_alpha_part(sq1_valid); TASSIGN(o_alpha_part, 0x42000);  // UB 0x42000..0x42200
                            TPASS(sq1_valid, 64, [&](auto at) {
                                const auto o_acc_rows_part_v = at.load(o_acc_rows_part);
                                const auto o_acc_rows_part_v_2 = o_acc_rows_part_v * at.column(o_alpha_part);
                                const auto o_pv_part = at.extract(o_pv_acc_part, 0);
                                const auto o_acc_rows_part_v_3 = o_acc_rows_part_v_2 + o_pv_part;
                                at.store(o_acc_rows_part, o_acc_rows_part_v_3);
                            });
                        }
                    }
                    const int32_t sq2_begin = kv0 + sq + 382 - kv - sq0 > 0 ? sq0 + (kv0 + sq + 382 - kv - sq0) / 128 * 128 : sq0;  // rows before this: their causal bound is inside this block
                    for (int32_t sq2 = sq2_begin; sq2 < sq0 + sq0_valid; sq2 += 128) {
                        const int32_t sq2_valid = sq0 + sq0_valid - sq2 < 128 ? sq0 + sq0_valid - sq2 : 128;
                        LeftF16_128x64 q_tile(sq2_valid); TASSIGN(q_tile, 0x00000);  // L0A 0x00000..0x04000
                        VGm q_in(q + int64_t(kv_heads0) * sq * 256 + int64_t(group0) * sq * 64 + int64_t(sq2) * 64, {sq2_valid});
                        TLOAD(q_tile, q_in);
                        AccF32_128x256 o_qk_acc(sq2_valid, kv0_valid); TASSIGN(o_qk_acc, 0x00000);  // L0C 0x00000..0x20000
                        TMATMUL(o_qk_acc, q_tile, k_tile);
                        VecF32_128x1 o_block_max(sq2_valid); TASSIGN(o_block_max, 0x21800);  // UB 0x21800..0x21a00
                        TPASS(sq2_valid, kv0_valid, [&](auto at, auto &o_block_max_max) {
                            const auto o_qk = at.extract(o_qk_acc, 0);
                            const auto o_s = o_qk * 0.125f;
                            o_block_max_max.take(at, o_s);
                        }, RowMax(o_block_max));
                        VecF32_1x128 o_max_next_row(sq2_valid); TASSIGN(o_max_next_row, 0x21a00);  // as a row, same bytes as o_max_next
                        VecF32_1x128 o_max_rows_row(sq2_valid); TASSIGN(o_max_rows_row, 0x00000 + sq2 * 0x00004 - sq0 * 0x00004);  // rows sq2 - sq0.. of o_max
                        VecF32_1x128 o_block_max_row(sq2_valid); TASSIGN(o_block_max_row, 0x21800);  // as a row, same bytes as o_block_max
                        TMAX(o_max_next_row, o_max_rows_row, o_block_max_row);
                        VecF32_1x128 o_max_step_row(sq2_valid); TASSIGN(o_max_step_row, 0x21800);  // as a row, same bytes as o_max_step
                        TSUB(o_max_step_row, o_max_rows_row, o_max_next_row);
                        VecF32_1x128 o_alpha_row(sq2_valid); TASSIGN(o_alpha_row, 0x21c00);  // as a row, same bytes as o_alpha
                        TEXP(o_alpha_row, o_max_step_row);
                        VecF32_1x128 o_sum_rows_row(sq2_valid); TASSIGN(o_sum_rows_row, 0x01000 + sq2 * 0x00004 - sq0 * 0x00004);  // rows sq2 - sq0.. of o_sum
                        TMUL(o_sum_rows_row, o_sum_rows_row, o_alpha_row);
                        TMOV(o_max_rows_row, o_max_next_row);
                        VecF32_128x1 o_max_next(sq2_valid); TASSIGN(o_max_next, 0x21a00);  // UB 0x21a00..0x21c00
                        VecF32_128x1 o_block_sum(sq2_valid); TASSIGN(o_block_sum, 0x21800);  // UB 0x21800..0x21a00
                        LeftF16_128x256 o_p_low_l0a(sq2_valid, kv0_valid); TASSIGN(o_p_low_l0a, 0x00000);  // L0A 0x00000..0x10000
                        TPASS<4>(sq2_valid, kv0_valid, [&](auto at, auto &o_block_sum_sum, auto &o_p_low_l0a_rows) {
                            const auto o_qk = at.extract(o_qk_acc, 0);
                            const auto o_s = o_qk * 0.125f;
                            const auto o_below_max = o_s - at.column(o_max_next);
                            const auto o_p = at.exp(o_below_max);
                            o_block_sum_sum.take(at, o_p);
                            o_p_low_l0a_rows.take(at, o_p);
                        }, RowSum(o_block_sum), LeftRows(o_p_low_l0a));
                        VecF32_1x128 o_block_sum_row(sq2_valid); TASSIGN(o_block_sum_row, 0x21800);  // as a row, same bytes as o_block_sum
                        TADD(o_sum_rows_row, o_sum_rows_row, o_block_sum_row);
                        AccF32_128x64 o_pv_acc(sq2_valid); TASSIGN(o_pv_acc, 0x00000);  // L0C 0x00000..0x08000
                        TMATMUL(o_pv_acc, o_p_low_l0a, v_tile);
                        VecF32_128x64 o_acc_rows(sq2_valid); TASSIGN(o_acc_rows, 0x01800 + sq2 * 0x00100 - sq0 * 0x00100);  // rows sq2 - sq0.. of o_acc
                        VecF32_128x1 o_alpha(sq2_valid); TASSIGN(o_alpha, 0x21c00);  // UB 0x21c00..0x21e00
                        TPASS(sq2_valid, 64, [&](auto at) {
                            const auto o_acc_rows_v = at.load(o_acc_rows);
                            const auto o_acc_rows_v_2 = o_acc_rows_v * at.column(o_alpha);
                            const auto o_pv = at.extract(o_pv_acc, 0);
                            const auto o_acc_rows_v_3 = o_acc_rows_v_2 + o_pv;
                            at.store(o_acc_rows, o_acc_rows_v_3);
                        });
                    }
                }
                VecF32_512x1 o_sum(sq0_valid); TASSIGN(o_sum, 0x01000);  // UB 0x01000..0x01800
                VGm o_out(o + int64_t(kv_heads0) * sq * 256 + int64_t(group0) * sq * 64 + int64_t(sq0) * 64, {sq0_valid});
                TPASS(sq0_valid, 64, [&](auto at, auto &o_sum_divisor) {
                    const auto o_acc_v = at.load(o_acc);
                    const auto o_2 = o_acc_v / o_sum_divisor;
                    at.store(o_out, o_2, far);
                }, Divisor(o_sum));
            }
        }
    }
}
