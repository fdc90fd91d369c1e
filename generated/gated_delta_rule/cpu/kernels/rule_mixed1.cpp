// rule_mixed1: mixed kernel of `gated_delta_rule` for cpu. Made by pyptogen; change the spec, not this file.
// stages rule; tiles b 1, group 1, heads 1, s 64; memory L0A 16384 B, L0B 16384 B, L0C 32768 B, UB 100352 B
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
using VecI32_64x64 = Tile<TileType::Vec, int32_t, 64, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecI32_64x1 = Tile<TileType::Vec, int32_t, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_8x64_r1 = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_64x64 = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using LeftF32_64x64 = TileLeft<float, 64, 64, DYNAMIC, DYNAMIC>;
using RightF32_64x64 = TileRight<float, 64, 64, DYNAMIC, DYNAMIC>;
using RightB16_64x128 = TileRight<bfloat16_t, 64, 128, DYNAMIC, 128>;
using VecB16_64x64 = Tile<TileType::Vec, bfloat16_t, 64, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using LeftB16_64x64 = TileLeft<bfloat16_t, 64, 64, DYNAMIC, DYNAMIC>;
using AccF32_64x128 = TileAcc<float, 64, 128, DYNAMIC, 128>;
using KNGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 2048, 1>>;
using KNGm2 = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, 1, 2048>, Layout::DN>;
using OGammaBlockGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using OGammaBlockGm2 = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using VGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 4096, 1>>;
using OUBlockGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using OWBlockGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void rule_mixed1(
    __gm__ float *o_u_block,
    __gm__ bfloat16_t *o_w_block,
    __gm__ bfloat16_t *k_n,
    __gm__ float *o_gamma_block,
    __gm__ float *o_beta,
    __gm__ bfloat16_t *v,
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
                    LeftB16_64x128 k_n_tile(s0_valid); TASSIGN(k_n_tile, 0x00000);  // L0A 0x00000..0x04000
                    KNGm k_n_in(k_n + int64_t(b0) * s * 2048 + int64_t(s0) * 2048 + int64_t(heads0) * 128, {s0_valid});
                    TLOAD(k_n_tile, k_n_in);
                    RightB16_128x64 k_n_tile_2(s0_valid); TASSIGN(k_n_tile_2, 0x00000);  // L0B 0x00000..0x04000
                    KNGm2 k_n_in_2(k_n + int64_t(b0) * s * 2048 + int64_t(s0) * 2048 + int64_t(heads0) * 128, {s0_valid});
                    TLOAD(k_n_tile_2, k_n_in_2);
                    AccF32_64x64 o_kk_acc(s0_valid, s0_valid); TASSIGN(o_kk_acc, 0x00000);  // L0C 0x00000..0x04000
                    TMATMUL(o_kk_acc, k_n_tile, k_n_tile_2);
                    VecI32_1x64 o_column_2_row(s0_valid); TASSIGN(o_column_2_row, 0x00000);  // as a row, same bytes as o_column_2
                    TCI<VecI32_1x64, int32_t, 0>(o_column_2_row, 0);
                    VecF32_1x64 o_column_at_2_row(s0_valid); TASSIGN(o_column_at_2_row, 0x00100);  // as a row, same bytes as o_column_at_2
                    TCVT(o_column_at_2_row, o_column_2_row, RoundMode::CAST_RINT);
                    VecI32_1x64 o_row_3(s0_valid); TASSIGN(o_row_3, 0x00200);  // UB 0x00200..0x00300
                    TCI<VecI32_1x64, int32_t, 0>(o_row_3, 0);
                    VecF32_1x64 o_column_own_row(s0_valid); TASSIGN(o_column_own_row, 0x00300);  // as a row, same bytes as o_column_own
                    TADDS(o_column_own_row, o_column_at_2_row, -0.5f);
                    VecF32_1x64 o_column_far_row(s0_valid); TASSIGN(o_column_far_row, 0x00100);  // as a row, same bytes as o_column_far
                    TMULS(o_column_far_row, o_column_own_row, 1e+30f);
                    VecF32_1x64 o_gamma_block_tile_row(s0_valid); TASSIGN(o_gamma_block_tile_row, 0x00300);  // as a row, same bytes as o_gamma_block_tile
                    OGammaBlockGm o_gamma_block_in(o_gamma_block + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid});
                    TLOAD(o_gamma_block_tile_row, o_gamma_block_in);
                    VecF32_1x64 o_beta_tile_row(s0_valid); TASSIGN(o_beta_tile_row, 0x00400);  // as a row, same bytes as o_beta_tile
                    OGammaBlockGm o_beta_in(o_beta + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid});
                    TLOAD(o_beta_tile_row, o_beta_in);
                    VecI32_64x64 o_column_2_wide(s0_valid, s0_valid); TASSIGN(o_column_2_wide, 0x00500);  // UB 0x00500..0x04500
                    VecI32_64x1 o_column_2(s0_valid); TASSIGN(o_column_2, 0x00000);  // UB 0x00000..0x00100
                    TROWEXPAND(o_column_2_wide, o_column_2);
                    VecF32_1x64 o_row_far(s0_valid); TASSIGN(o_row_far, 0x04700);  // UB 0x04700..0x04800
                    VecF32_8x64_r1 o_gamma_block_tile_2(s0_valid); TASSIGN(o_gamma_block_tile_2, 0x04600);  // UB 0x04600..0x04700
                    VecF32_8x64_r1 o_left(s0_valid); TASSIGN(o_left, 0x04500);  // UB 0x04500..0x04600
                    VecF32_8x64_r1 o_beta_tile_2(s0_valid); TASSIGN(o_beta_tile_2, 0x00000);  // UB 0x00000..0x00100
                    OGammaBlockGm2 o_gamma_block_in_2(o_gamma_block + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid}, {int64_t(s)});
                    OGammaBlockGm2 o_beta_in_2(o_beta + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid}, {int64_t(s)});
                    TPASS(1, s0_valid, [&](auto at) {
                        const auto o_row_3_v = at.load(o_row_3);
                        const auto o_row_at_2 = at.to_float(o_row_3_v);
                        const auto o_row_far_v = o_row_at_2 * 1e+30f;
                        at.store(o_row_far, o_row_far_v);
                        const auto o_gamma_block_tile_2_v = at.load(o_gamma_block_in_2);
                        at.store(o_gamma_block_tile_2, o_gamma_block_tile_2_v);
                        const auto o_left_v = at.exp(o_gamma_block_tile_2_v);
                        at.store(o_left, o_left_v);
                        const auto o_beta_tile_2_v = at.load(o_beta_in_2);
                        at.store(o_beta_tile_2, o_beta_tile_2_v);
                    });
                    VecI32_64x64 o_row_3_wide(s0_valid, s0_valid); TASSIGN(o_row_3_wide, 0x04800);  // UB 0x04800..0x08800
                    TCOLEXPAND(o_row_3_wide, o_row_3);
                    VecI32_64x64 o_apart_tmp(s0_valid, s0_valid); TASSIGN(o_apart_tmp, 0x0c800);  // UB 0x0c800..0x10800
                    VecI32_64x64 o_apart(s0_valid, s0_valid); TASSIGN(o_apart, 0x08800);  // UB 0x08800..0x0c800
                    TXOR(o_apart, o_column_2_wide, o_row_3_wide, o_apart_tmp);
                    VecF32_64x1 o_column_far(s0_valid); TASSIGN(o_column_far, 0x00100);  // UB 0x00100..0x00200
                    VecF32_64x1 o_gamma_block_tile(s0_valid); TASSIGN(o_gamma_block_tile, 0x00300);  // UB 0x00300..0x00400
                    VecF32_64x1 o_beta_tile(s0_valid); TASSIGN(o_beta_tile, 0x00400);  // UB 0x00400..0x00500
                    VecF32_64x64 o_inverse_2(s0_valid, s0_valid); TASSIGN(o_inverse_2, 0x10800);  // UB 0x10800..0x14800
                    VecF32_64x64 o_joint_8(s0_valid, s0_valid); TASSIGN(o_joint_8, 0x14800);  // UB 0x14800..0x18800
                    VecF32_64x64 o_joint_16(s0_valid, s0_valid); TASSIGN(o_joint_16, 0x0c800);  // UB 0x0c800..0x10800
                    VecF32_64x64 o_joint_32(s0_valid, s0_valid); TASSIGN(o_joint_32, 0x04800);  // UB 0x04800..0x08800
                    VecF32_64x64 o_rest_32(s0_valid, s0_valid); TASSIGN(o_rest_32, 0x00500);  // UB 0x00500..0x04500
                    LeftF32_64x64 o_joint_4_l0a(s0_valid, s0_valid); TASSIGN(o_joint_4_l0a, 0x00000);  // L0A 0x00000..0x04000
                    TPASS<4>(s0_valid, s0_valid, [&](auto at, auto &o_joint_4_l0a_rows) {
                        const auto o_4 = at.column(o_column_far);
                        const auto o_passed = at.column(o_gamma_block_tile);
                        const auto o_kk = at.extract(o_kk_acc, 0);
                        const auto o_4_2 = o_4 - at.row(o_row_far);
                        const auto o_passed_2 = o_passed - at.row(o_gamma_block_tile_2);
                        const auto o_passed_masked = at.min(o_passed_2, o_4_2);
                        const auto o_since = at.exp(o_passed_masked);
                        const auto o_a_decayed = o_kk * o_since;
                        const auto o_a = o_a_decayed * at.column(o_beta_tile);
                        const auto o_apart_v = at.load(o_apart);
                        const auto o_apart_number = at.to_float(o_apart_v);
                        const auto o_near = -o_apart_number;
                        const auto o_near_2 = o_near + 2.0f;
                        const auto o_within_2_least = at.max(o_near_2, 0.0f);
                        const auto o_within_2 = at.min(o_within_2_least, 1.0f);
                        const auto o_joint_2 = o_a * o_within_2;
                        const auto o_near_1 = o_near + 1.0f;
                        const auto o_within_1_least = at.max(o_near_1, 0.0f);
                        const auto o_within_1 = at.min(o_within_1_least, 1.0f);
                        const auto o_inverse_2_v = o_within_1 - o_joint_2;
                        at.store(o_inverse_2, o_inverse_2_v);
                        const auto o_rest_2 = o_a - o_joint_2;
                        const auto o_near_4 = o_near + 4.0f;
                        const auto o_within_4_least = at.max(o_near_4, 0.0f);
                        const auto o_within_4 = at.min(o_within_4_least, 1.0f);
                        const auto o_joint_4 = o_rest_2 * o_within_4;
                        const auto o_rest_4 = o_rest_2 - o_joint_4;
                        const auto o_near_8 = o_near + 8.0f;
                        const auto o_within_8_least = at.max(o_near_8, 0.0f);
                        const auto o_within_8 = at.min(o_within_8_least, 1.0f);
                        const auto o_joint_8_v = o_rest_4 * o_within_8;
                        at.store(o_joint_8, o_joint_8_v);
                        const auto o_rest_8 = o_rest_4 - o_joint_8_v;
                        const auto o_near_16 = o_near + 16.0f;
                        const auto o_within_16_least = at.max(o_near_16, 0.0f);
                        const auto o_within_16 = at.min(o_within_16_least, 1.0f);
                        const auto o_joint_16_v = o_rest_8 * o_within_16;
                        at.store(o_joint_16, o_joint_16_v);
                        const auto o_rest_16 = o_rest_8 - o_joint_16_v;
                        const auto o_near_32 = o_near + 32.0f;
                        const auto o_within_32_least = at.max(o_near_32, 0.0f);
                        const auto o_within_32 = at.min(o_within_32_least, 1.0f);
                        const auto o_joint_32_v = o_rest_16 * o_within_32;
                        at.store(o_joint_32, o_joint_32_v);
                        const auto o_rest_32_v = o_rest_16 - o_joint_32_v;
                        at.store(o_rest_32, o_rest_32_v);
                        o_joint_4_l0a_rows.take(at, o_joint_4);
                    }, LeftRows(o_joint_4_l0a));
                    RightF32_64x64 o_inverse_2_l0b(s0_valid, s0_valid); TASSIGN(o_inverse_2_l0b, 0x00000);  // L0B 0x00000..0x04000
                    TMOV(o_inverse_2_l0b, o_inverse_2);
                    AccF32_64x64 o_joined_4_acc(s0_valid, s0_valid); TASSIGN(o_joined_4_acc, 0x00000);  // L0C 0x00000..0x04000
                    TMATMUL(o_joined_4_acc, o_joint_4_l0a, o_inverse_2_l0b);
                    VecF32_64x64 o_joined_4(s0_valid, s0_valid); TASSIGN(o_joined_4, 0x08800);  // UB 0x08800..0x0c800
                    LeftF32_64x64 o_inverse_2_l0a(s0_valid, s0_valid); TASSIGN(o_inverse_2_l0a, 0x00000);  // L0A 0x00000..0x04000
                    TPASS(s0_valid, s0_valid, [&](auto at, auto &o_inverse_2_l0a_rows) {
                        const auto o_joined_4_v = at.extract(o_joined_4_acc, 0);
                        at.store(o_joined_4, o_joined_4_v);
                        const auto o_inverse_2_v = at.load(o_inverse_2);
                        o_inverse_2_l0a_rows.take(at, o_inverse_2_v);
                    }, LeftRows(o_inverse_2_l0a));
                    RightF32_64x64 o_joined_4_l0b(s0_valid, s0_valid); TASSIGN(o_joined_4_l0b, 0x00000);  // L0B 0x00000..0x04000
                    TMOV(o_joined_4_l0b, o_joined_4);
                    AccF32_64x64 o_corner_4_acc(s0_valid, s0_valid); TASSIGN(o_corner_4_acc, 0x00000);  // L0C 0x00000..0x04000
                    TMATMUL(o_corner_4_acc, o_inverse_2_l0a, o_joined_4_l0b);
                    VecF32_64x64 o_inverse_4(s0_valid, s0_valid); TASSIGN(o_inverse_4, 0x08800);  // UB 0x08800..0x0c800
                    LeftF32_64x64 o_joint_8_l0a(s0_valid, s0_valid); TASSIGN(o_joint_8_l0a, 0x00000);  // L0A 0x00000..0x04000
                    TPASS(s0_valid, s0_valid, [&](auto at, auto &o_joint_8_l0a_rows) {
                        const auto o_corner_4 = at.extract(o_corner_4_acc, 0);
                        const auto o_inverse_2_v = at.load(o_inverse_2);
                        const auto o_inverse_4_v = o_inverse_2_v - o_corner_4;
                        at.store(o_inverse_4, o_inverse_4_v);
                        const auto o_joint_8_v = at.load(o_joint_8);
                        o_joint_8_l0a_rows.take(at, o_joint_8_v);
                    }, LeftRows(o_joint_8_l0a));
                    RightF32_64x64 o_inverse_4_l0b(s0_valid, s0_valid); TASSIGN(o_inverse_4_l0b, 0x00000);  // L0B 0x00000..0x04000
                    TMOV(o_inverse_4_l0b, o_inverse_4);
                    AccF32_64x64 o_joined_8_acc(s0_valid, s0_valid); TASSIGN(o_joined_8_acc, 0x00000);  // L0C 0x00000..0x04000
                    TMATMUL(o_joined_8_acc, o_joint_8_l0a, o_inverse_4_l0b);
                    VecF32_64x64 o_joined_8(s0_valid, s0_valid); TASSIGN(o_joined_8, 0x10800);  // UB 0x10800..0x14800
                    LeftF32_64x64 o_inverse_4_l0a(s0_valid, s0_valid); TASSIGN(o_inverse_4_l0a, 0x00000);  // L0A 0x00000..0x04000
                    TPASS(s0_valid, s0_valid, [&](auto at, auto &o_inverse_4_l0a_rows) {
                        const auto o_joined_8_v = at.extract(o_joined_8_acc, 0);
                        at.store(o_joined_8, o_joined_8_v);
                        const auto o_inverse_4_v = at.load(o_inverse_4);
                        o_inverse_4_l0a_rows.take(at, o_inverse_4_v);
                    }, LeftRows(o_inverse_4_l0a));
                    RightF32_64x64 o_joined_8_l0b(s0_valid, s0_valid); TASSIGN(o_joined_8_l0b, 0x00000);  // L0B 0x00000..0x04000
                    TMOV(o_joined_8_l0b, o_joined_8);
                    AccF32_64x64 o_corner_8_acc(s0_valid, s0_valid); TASSIGN(o_corner_8_acc, 0x00000);  // L0C 0x00000..0x04000
                    TMATMUL(o_corner_8_acc, o_inverse_4_l0a, o_joined_8_l0b);
                    VecF32_64x64 o_inverse_8(s0_valid, s0_valid); TASSIGN(o_inverse_8, 0x08800);  // UB 0x08800..0x0c800
                    LeftF32_64x64 o_joint_16_l0a(s0_valid, s0_valid); TASSIGN(o_joint_16_l0a, 0x00000);  // L0A 0x00000..0x04000
                    TPASS(s0_valid, s0_valid, [&](auto at, auto &o_joint_16_l0a_rows) {
                        const auto o_corner_8 = at.extract(o_corner_8_acc, 0);
                        const auto o_inverse_4_v = at.load(o_inverse_4);
                        const auto o_inverse_8_v = o_inverse_4_v - o_corner_8;
                        at.store(o_inverse_8, o_inverse_8_v);
                        const auto o_joint_16_v = at.load(o_joint_16);
                        o_joint_16_l0a_rows.take(at, o_joint_16_v);
                    }, LeftRows(o_joint_16_l0a));
                    RightF32_64x64 o_inverse_8_l0b(s0_valid, s0_valid); TASSIGN(o_inverse_8_l0b, 0x00000);  // L0B 0x00000..0x04000
                    TMOV(o_inverse_8_l0b, o_inverse_8);
                    AccF32_64x64 o_joined_16_acc(s0_valid, s0_valid); TASSIGN(o_joined_16_acc, 0x00000);  // L0C 0x00000..0x04000
                    TMATMUL(o_joined_16_acc, o_joint_16_l0a, o_inverse_8_l0b);
                    VecF32_64x64 o_joined_16(s0_valid, s0_valid); TASSIGN(o_joined_16, 0x0c800);  // UB 0x0c800..0x10800
                    LeftF32_64x64 o_inverse_8_l0a(s0_valid, s0_valid); TASSIGN(o_inverse_8_l0a, 0x00000);  // L0A 0x00000..0x04000
                    TPASS(s0_valid, s0_valid, [&](auto at, auto &o_inverse_8_l0a_rows) {
                        const auto o_joined_16_v = at.extract(o_joined_16_acc, 0);
                        at.store(o_joined_16, o_joined_16_v);
                        const auto o_inverse_8_v = at.load(o_inverse_8);
                        o_inverse_8_l0a_rows.take(at, o_inverse_8_v);
                    }, LeftRows(o_inverse_8_l0a));
                    RightF32_64x64 o_joined_16_l0b(s0_valid, s0_valid); TASSIGN(o_joined_16_l0b, 0x00000);  // L0B 0x00000..0x04000
                    TMOV(o_joined_16_l0b, o_joined_16);
                    AccF32_64x64 o_corner_16_acc(s0_valid, s0_valid); TASSIGN(o_corner_16_acc, 0x00000);  // L0C 0x00000..0x04000
                    TMATMUL(o_corner_16_acc, o_inverse_8_l0a, o_joined_16_l0b);
                    VecF32_64x64 o_inverse_16(s0_valid, s0_valid); TASSIGN(o_inverse_16, 0x08800);  // UB 0x08800..0x0c800
                    LeftF32_64x64 o_joint_32_l0a(s0_valid, s0_valid); TASSIGN(o_joint_32_l0a, 0x00000);  // L0A 0x00000..0x04000
                    TPASS(s0_valid, s0_valid, [&](auto at, auto &o_joint_32_l0a_rows) {
                        const auto o_corner_16 = at.extract(o_corner_16_acc, 0);
                        const auto o_inverse_8_v = at.load(o_inverse_8);
                        const auto o_inverse_16_v = o_inverse_8_v - o_corner_16;
                        at.store(o_inverse_16, o_inverse_16_v);
                        const auto o_joint_32_v = at.load(o_joint_32);
                        o_joint_32_l0a_rows.take(at, o_joint_32_v);
                    }, LeftRows(o_joint_32_l0a));
                    RightF32_64x64 o_inverse_16_l0b(s0_valid, s0_valid); TASSIGN(o_inverse_16_l0b, 0x00000);  // L0B 0x00000..0x04000
                    TMOV(o_inverse_16_l0b, o_inverse_16);
                    AccF32_64x64 o_joined_32_acc(s0_valid, s0_valid); TASSIGN(o_joined_32_acc, 0x00000);  // L0C 0x00000..0x04000
                    TMATMUL(o_joined_32_acc, o_joint_32_l0a, o_inverse_16_l0b);
                    VecF32_64x64 o_joined_32(s0_valid, s0_valid); TASSIGN(o_joined_32, 0x04600);  // UB 0x04600..0x08600
                    LeftF32_64x64 o_inverse_16_l0a(s0_valid, s0_valid); TASSIGN(o_inverse_16_l0a, 0x00000);  // L0A 0x00000..0x04000
                    TPASS(s0_valid, s0_valid, [&](auto at, auto &o_inverse_16_l0a_rows) {
                        const auto o_joined_32_v = at.extract(o_joined_32_acc, 0);
                        at.store(o_joined_32, o_joined_32_v);
                        const auto o_inverse_16_v = at.load(o_inverse_16);
                        o_inverse_16_l0a_rows.take(at, o_inverse_16_v);
                    }, LeftRows(o_inverse_16_l0a));
                    RightF32_64x64 o_joined_32_l0b(s0_valid, s0_valid); TASSIGN(o_joined_32_l0b, 0x00000);  // L0B 0x00000..0x04000
                    TMOV(o_joined_32_l0b, o_joined_32);
                    AccF32_64x64 o_corner_32_acc(s0_valid, s0_valid); TASSIGN(o_corner_32_acc, 0x00000);  // L0C 0x00000..0x04000
                    TMATMUL(o_corner_32_acc, o_inverse_16_l0a, o_joined_32_l0b);
                    VecF32_64x64 o_inverse_32(s0_valid, s0_valid); TASSIGN(o_inverse_32, 0x04600);  // UB 0x04600..0x08600
                    LeftF32_64x64 o_rest_32_l0a(s0_valid, s0_valid); TASSIGN(o_rest_32_l0a, 0x00000);  // L0A 0x00000..0x04000
                    TPASS(s0_valid, s0_valid, [&](auto at, auto &o_rest_32_l0a_rows) {
                        const auto o_corner_32 = at.extract(o_corner_32_acc, 0);
                        const auto o_inverse_16_v = at.load(o_inverse_16);
                        const auto o_inverse_32_v = o_inverse_16_v - o_corner_32;
                        at.store(o_inverse_32, o_inverse_32_v);
                        const auto o_rest_32_v = at.load(o_rest_32);
                        o_rest_32_l0a_rows.take(at, o_rest_32_v);
                    }, LeftRows(o_rest_32_l0a));
                    RightF32_64x64 o_inverse_32_l0b(s0_valid, s0_valid); TASSIGN(o_inverse_32_l0b, 0x00000);  // L0B 0x00000..0x04000
                    TMOV(o_inverse_32_l0b, o_inverse_32);
                    AccF32_64x64 o_joined_64_acc(s0_valid, s0_valid); TASSIGN(o_joined_64_acc, 0x00000);  // L0C 0x00000..0x04000
                    TMATMUL(o_joined_64_acc, o_rest_32_l0a, o_inverse_32_l0b);
                    VecF32_64x64 o_joined_64(s0_valid, s0_valid); TASSIGN(o_joined_64, 0x00100);  // UB 0x00100..0x04100
                    LeftF32_64x64 o_inverse_32_l0a(s0_valid, s0_valid); TASSIGN(o_inverse_32_l0a, 0x00000);  // L0A 0x00000..0x04000
                    TPASS(s0_valid, s0_valid, [&](auto at, auto &o_inverse_32_l0a_rows) {
                        const auto o_joined_64_v = at.extract(o_joined_64_acc, 0);
                        at.store(o_joined_64, o_joined_64_v);
                        const auto o_inverse_32_v = at.load(o_inverse_32);
                        o_inverse_32_l0a_rows.take(at, o_inverse_32_v);
                    }, LeftRows(o_inverse_32_l0a));
                    RightF32_64x64 o_joined_64_l0b(s0_valid, s0_valid); TASSIGN(o_joined_64_l0b, 0x00000);  // L0B 0x00000..0x04000
                    TMOV(o_joined_64_l0b, o_joined_64);
                    AccF32_64x64 o_corner_64_acc(s0_valid, s0_valid); TASSIGN(o_corner_64_acc, 0x00000);  // L0C 0x00000..0x04000
                    TMATMUL(o_corner_64_acc, o_inverse_32_l0a, o_joined_64_l0b);
                    RightB16_64x128 v_tile(s0_valid); TASSIGN(v_tile, 0x00000);  // L0B 0x00000..0x04000
                    VGm v_in(v + int64_t(b0) * s * 4096 + int64_t(s0) * 4096 + int64_t(heads0) * 256 + int64_t(group0) * 128, {s0_valid});
                    TLOAD(v_tile, v_in);
                    VecB16_64x64 o_less_low(s0_valid, s0_valid); TASSIGN(o_less_low, 0x00100);  // UB 0x00100..0x02100
                    LeftB16_64x64 o_change_low_l0a(s0_valid, s0_valid); TASSIGN(o_change_low_l0a, 0x00000);  // L0A 0x00000..0x02000
                    TPASS(s0_valid, s0_valid, [&](auto at, auto &o_change_low_l0a_rows) {
                        const auto o_corner_64 = at.extract(o_corner_64_acc, 0);
                        const auto o_inverse_32_v = at.load(o_inverse_32);
                        const auto o_inverse_64 = o_inverse_32_v - o_corner_64;
                        const auto o_change = o_inverse_64 * at.row(o_beta_tile_2);
                        const auto o_less = o_change * at.row(o_left);
                        at.store(o_less_low, o_less);
                        o_change_low_l0a_rows.take(at, o_change);
                    }, LeftRows(o_change_low_l0a));
                    AccF32_64x128 o_u_block_acc(s0_valid); TASSIGN(o_u_block_acc, 0x00000);  // L0C 0x00000..0x08000
                    TMATMUL(o_u_block_acc, o_change_low_l0a, v_tile);
                    OUBlockGm o_u_block_out(o_u_block + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TSTORE(o_u_block_out, o_u_block_acc);
                    RightB16_64x128 k_n_tile_3(s0_valid); TASSIGN(k_n_tile_3, 0x00000);  // L0B 0x00000..0x04000
                    KNGm k_n_in_3(k_n + int64_t(b0) * s * 2048 + int64_t(s0) * 2048 + int64_t(heads0) * 128, {s0_valid});
                    TLOAD(k_n_tile_3, k_n_in_3);
                    LeftB16_64x64 o_less_low_l0a(s0_valid, s0_valid); TASSIGN(o_less_low_l0a, 0x00000);  // L0A 0x00000..0x02000
                    TMOV(o_less_low_l0a, o_less_low);
                    AccF32_64x128 o_w_wide_acc(s0_valid); TASSIGN(o_w_wide_acc, 0x00000);  // L0C 0x00000..0x08000
                    TMATMUL(o_w_wide_acc, o_less_low_l0a, k_n_tile_3);
                    OWBlockGm o_w_block_out(o_w_block + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TPASS(s0_valid, 128, [&](auto at) {
                        const auto o_w_wide = at.extract(o_w_wide_acc, 0);
                        at.store(o_w_block_out, o_w_wide);
                    });
                }
            }
        }
    }
}
