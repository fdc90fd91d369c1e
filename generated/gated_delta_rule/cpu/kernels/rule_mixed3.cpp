// rule_mixed3: mixed kernel of `gated_delta_rule` for cpu. Made by pyptogen; change the spec, not this file.
// stages rule; tiles b 1, group 1, heads 1, s 64; memory L0A 16384 B, L0B 16384 B, L0C 32768 B, UB 1536 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftB16_64x128 = TileLeft<bfloat16_t, 64, 128, DYNAMIC, 128>;
using RightB16_128x64 = TileRight<bfloat16_t, 128, 64, 128, DYNAMIC>;
using AccF32_64x64 = TileAcc<float, 64, 64, DYNAMIC, DYNAMIC>;
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using RightB16_64x128 = TileRight<bfloat16_t, 64, 128, DYNAMIC, 128>;
using VecF32_8x64_r1 = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using LeftB16_64x64 = TileLeft<bfloat16_t, 64, 64, DYNAMIC, DYNAMIC>;
using AccF32_64x128 = TileAcc<float, 64, 128, DYNAMIC, 128>;
using QNGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 2048, 1>>;
using KNGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, 1, 2048>, Layout::DN>;
using OGammaBlockGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using OChangeBlockGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using OGammaBlockGm2 = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using ORecalledBlockGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void rule_mixed3(
    __gm__ bfloat16_t *o_read_block,
    __gm__ bfloat16_t *q_n,
    __gm__ bfloat16_t *k_n,
    __gm__ float *o_gamma_block,
    __gm__ float *o_recalled_block,
    __gm__ bfloat16_t *o_change_block,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t b0 = b_begin; b0 < b_end; ++b0) {
        for (int32_t heads0 = block; heads0 < 16; heads0 += nblk) {
            for (int32_t group0 = 0; group0 < 2; ++group0) {
                for (int32_t s0 = 0; s0 < s; s0 += 64) {
                    const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
                    // o, state_end: gated_delta_rule(q_n, k_n, v, g, beta, state_t, scale=1)
                    LeftB16_64x128 q_n_tile(s0_valid); TASSIGN(q_n_tile, 0x00000);  // L0A 0x00000..0x04000
                    QNGm q_n_in(q_n + int64_t(b0) * s * 2048 + int64_t(s0) * 2048 + int64_t(heads0) * 128, {s0_valid});
                    TLOAD(q_n_tile, q_n_in);
                    RightB16_128x64 k_n_tile(s0_valid); TASSIGN(k_n_tile, 0x00000);  // L0B 0x00000..0x04000
                    KNGm k_n_in(k_n + int64_t(b0) * s * 2048 + int64_t(s0) * 2048 + int64_t(heads0) * 128, {s0_valid});
                    TLOAD(k_n_tile, k_n_in);
                    AccF32_64x64 o_qk_acc(s0_valid, s0_valid); TASSIGN(o_qk_acc, 0x00000);  // L0C 0x00000..0x04000
                    TMATMUL(o_qk_acc, q_n_tile, k_n_tile);
                    VecI32_1x64 o_column_6_row(s0_valid); TASSIGN(o_column_6_row, 0x00000);  // as a row, same bytes as o_column_6
                    TCI<VecI32_1x64, int32_t, 0>(o_column_6_row, 0);
                    VecF32_1x64 o_column_at_3_row(s0_valid); TASSIGN(o_column_at_3_row, 0x00100);  // as a row, same bytes as o_column_at_3
                    TCVT(o_column_at_3_row, o_column_6_row, RoundMode::CAST_RINT);
                    VecI32_1x64 o_row_7(s0_valid); TASSIGN(o_row_7, 0x00000);  // UB 0x00000..0x00100
                    TCI<VecI32_1x64, int32_t, 0>(o_row_7, 0);
                    VecF32_1x64 o_column_own_2_row(s0_valid); TASSIGN(o_column_own_2_row, 0x00200);  // as a row, same bytes as o_column_own_2
                    TADDS(o_column_own_2_row, o_column_at_3_row, 0.5f);
                    VecF32_1x64 o_column_far_2_row(s0_valid); TASSIGN(o_column_far_2_row, 0x00100);  // as a row, same bytes as o_column_far_2
                    TMULS(o_column_far_2_row, o_column_own_2_row, 1e+30f);
                    VecF32_1x64 o_gamma_block_tile_row(s0_valid); TASSIGN(o_gamma_block_tile_row, 0x00200);  // as a row, same bytes as o_gamma_block_tile
                    OGammaBlockGm o_gamma_block_in(o_gamma_block + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid});
                    TLOAD(o_gamma_block_tile_row, o_gamma_block_in);
                    VecF32_1x64 o_left_3_row(s0_valid); TASSIGN(o_left_3_row, 0x00300);  // as a row, same bytes as o_left_3
                    TEXP(o_left_3_row, o_gamma_block_tile_row);
                    RightB16_64x128 o_change_block_tile(s0_valid); TASSIGN(o_change_block_tile, 0x00000);  // L0B 0x00000..0x04000
                    OChangeBlockGm o_change_block_in(o_change_block + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TLOAD(o_change_block_tile, o_change_block_in);
                    VecF32_1x64 o_row_far_2(s0_valid); TASSIGN(o_row_far_2, 0x00500);  // UB 0x00500..0x00600
                    VecF32_8x64_r1 o_gamma_block_tile_2(s0_valid); TASSIGN(o_gamma_block_tile_2, 0x00400);  // UB 0x00400..0x00500
                    OGammaBlockGm2 o_gamma_block_in_2(o_gamma_block + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid}, {int64_t(s)});
                    TPASS(1, s0_valid, [&](auto at) {
                        const auto o_row_7_v = at.load(o_row_7);
                        const auto o_row_at_3 = at.to_float(o_row_7_v);
                        const auto o_row_far_2_v = o_row_at_3 * 1e+30f;
                        at.store(o_row_far_2, o_row_far_2_v);
                        const auto o_gamma_block_tile_2_v = at.load(o_gamma_block_in_2);
                        at.store(o_gamma_block_tile_2, o_gamma_block_tile_2_v);
                    });
                    VecF32_64x1 o_column_far_2(s0_valid); TASSIGN(o_column_far_2, 0x00100);  // UB 0x00100..0x00200
                    VecF32_64x1 o_gamma_block_tile(s0_valid); TASSIGN(o_gamma_block_tile, 0x00200);  // UB 0x00200..0x00300
                    LeftB16_64x64 o_p_low_l0a(s0_valid, s0_valid); TASSIGN(o_p_low_l0a, 0x00000);  // L0A 0x00000..0x02000
                    TPASS<4>(s0_valid, s0_valid, [&](auto at, auto &o_p_low_l0a_rows) {
                        const auto o_10 = at.column(o_column_far_2);
                        const auto o_passed_2 = at.column(o_gamma_block_tile);
                        const auto o_qk = at.extract(o_qk_acc, 0);
                        const auto o_10_2 = o_10 - at.row(o_row_far_2);
                        const auto o_passed_2_2 = o_passed_2 - at.row(o_gamma_block_tile_2);
                        const auto o_passed_masked_2 = at.min(o_passed_2_2, o_10_2);
                        const auto o_since_2 = at.exp(o_passed_masked_2);
                        const auto o_p = o_qk * o_since_2;
                        o_p_low_l0a_rows.take(at, o_p);
                    }, LeftRows(o_p_low_l0a));
                    AccF32_64x128 o_new_acc(s0_valid); TASSIGN(o_new_acc, 0x00000);  // L0C 0x00000..0x08000
                    TMATMUL(o_new_acc, o_p_low_l0a, o_change_block_tile);
                    VecF32_64x1 o_left_3(s0_valid); TASSIGN(o_left_3, 0x00300);  // UB 0x00300..0x00400
                    ORecalledBlockGm o_recalled_block_in(o_recalled_block + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    OChangeBlockGm o_read_block_out(o_read_block + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TPASS(s0_valid, 128, [&](auto at) {
                        const auto o_recalled_block_tile = at.load(o_recalled_block_in);
                        const auto o_old = o_recalled_block_tile * at.column(o_left_3);
                        const auto o_new = at.extract(o_new_acc, 0);
                        const auto o_read = o_old + o_new;
                        at.store(o_read_block_out, o_read);
                    });
                }
            }
        }
    }
}
