// solve: mixed kernel of `gated_delta_rule` for cpu. Made by pyptogen; change the spec, not this file.
// stages solve; tiles b 1, group 1, heads 1, s 64; memory L0A 16384 B, L0B 16384 B, L0C 32768 B, UB 100352 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftB16_64x128 = TileLeft<bfloat16_t, 64, 128, DYNAMIC, 128>;
using RightB16_128x64 = TileRight<bfloat16_t, 128, 64, 128, DYNAMIC>;
using AccF32_64x64 = TileAcc<float, 64, 64, DYNAMIC, DYNAMIC>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
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
using KNGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using KNGm2 = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, 1, 128>, Layout::DN>;
using GammaGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using NumberGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using GammaGm2 = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using PlaceGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using NumberGm2 = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using UGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void solve(
    __gm__ float *u,
    __gm__ bfloat16_t *w,
    __gm__ bfloat16_t *k_n,
    __gm__ float *gamma,
    __gm__ float *place,
    __gm__ int32_t *number,
    __gm__ float *beta_h,
    __gm__ bfloat16_t *v_h,
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
                    // a: matmul(key, turned(key), dtype=fp32) * since * beta_h[:, :, :, s, None] * earlier  [gated_delta_rule.yaml:67]
                    LeftB16_64x128 key(s0_valid); TASSIGN(key, 0x00000);  // L0A 0x00000..0x04000
                    KNGm k_n_in(k_n + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TLOAD(key, k_n_in);
                    RightB16_128x64 k_n_tile(s0_valid); TASSIGN(k_n_tile, 0x00000);  // L0B 0x00000..0x04000
                    KNGm2 k_n_in_2(k_n + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TLOAD(k_n_tile, k_n_in_2);
                    AccF32_64x64 a_2_acc(s0_valid, s0_valid); TASSIGN(a_2_acc, 0x00000);  // L0C 0x00000..0x04000
                    TMATMUL(a_2_acc, key, k_n_tile);
                    // since: exp(minimum(gamma[:, :, :, s, None] - gamma[:, :, :, None, s], 0))  [gated_delta_rule.yaml:63]
                    VecF32_1x64 gamma_tile_row(s0_valid); TASSIGN(gamma_tile_row, 0x00000);  // as a row, same bytes as gamma_tile
                    GammaGm gamma_in(gamma + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid});
                    TLOAD(gamma_tile_row, gamma_in);
                    // earlier: upto(place[s][:, None] - place[s][None, :])  [gated_delta_rule.yaml:64]
                    VecF32_1x64 place_tile_row(s0_valid); TASSIGN(place_tile_row, 0x00100);  // as a row, same bytes as place_tile
                    GammaGm place_in(place + int64_t(s0), {s0_valid});
                    TLOAD(place_tile_row, place_in);
                    // apart: cast(bitwise_xor(number[s][:, None], number[s][None, :]), fp32)  [gated_delta_rule.yaml:65]
                    VecI32_1x64 number_tile_row(s0_valid); TASSIGN(number_tile_row, 0x00200);  // as a row, same bytes as number_tile
                    NumberGm number_in(number + int64_t(s0), {s0_valid});
                    TLOAD(number_tile_row, number_in);
                    VecI32_64x64 number_tile_wide(s0_valid, s0_valid); TASSIGN(number_tile_wide, 0x00300);  // UB 0x00300..0x04300
                    VecI32_64x1 number_tile(s0_valid); TASSIGN(number_tile, 0x00200);  // UB 0x00200..0x00300
                    TROWEXPAND(number_tile_wide, number_tile);
                    // a: matmul(key, turned(key), dtype=fp32) * since * beta_h[:, :, :, s, None] * earlier  [gated_delta_rule.yaml:67]
                    VecF32_1x64 beta_h_tile_row(s0_valid); TASSIGN(beta_h_tile_row, 0x00200);  // as a row, same bytes as beta_h_tile
                    GammaGm beta_h_in(beta_h + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid});
                    TLOAD(beta_h_tile_row, beta_h_in);
                    VecF32_8x64_r1 gamma_tile_2(s0_valid); TASSIGN(gamma_tile_2, 0x04500);  // UB 0x04500..0x04600
                    VecF32_1x64 place_tile_2(s0_valid); TASSIGN(place_tile_2, 0x04600);  // UB 0x04600..0x04700
                    VecI32_1x64 number_tile_2(s0_valid); TASSIGN(number_tile_2, 0x04700);  // UB 0x04700..0x04800
                    VecF32_8x64_r1 w_1(s0_valid); TASSIGN(w_1, 0x04400);  // UB 0x04400..0x04500
                    VecF32_8x64_r1 beta_h_tile_2(s0_valid); TASSIGN(beta_h_tile_2, 0x04300);  // UB 0x04300..0x04400
                    GammaGm2 gamma_in_2(gamma + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid}, {int64_t(s)});
                    PlaceGm place_in_2(place + int64_t(s0), {s0_valid});
                    NumberGm2 number_in_2(number + int64_t(s0), {s0_valid});
                    GammaGm2 beta_h_in_2(beta_h + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid}, {int64_t(s)});
                    TPASS(1, s0_valid, [&](auto at) {
                        // since: exp(minimum(gamma[:, :, :, s, None] - gamma[:, :, :, None, s], 0))  [gated_delta_rule.yaml:63]
                        const auto gamma_tile_2_v = at.load(gamma_in_2);
                        at.store(gamma_tile_2, gamma_tile_2_v);
                        // earlier: upto(place[s][:, None] - place[s][None, :])  [gated_delta_rule.yaml:64]
                        const auto place_tile_2_v = at.load(place_in_2);
                        at.store(place_tile_2, place_tile_2_v);
                        // apart: cast(bitwise_xor(number[s][:, None], number[s][None, :]), fp32)  [gated_delta_rule.yaml:65]
                        const auto number_tile_2_v = at.load(number_in_2);
                        at.store(number_tile_2, number_tile_2_v);
                        // w: matmul(cast(d * exp(gamma[:, :, :, None, s]), bf16), key)  [gated_delta_rule.yaml:78]
                        const auto w_1_v = at.exp(gamma_tile_2_v);
                        at.store(w_1, w_1_v);
                        // d: d64 * beta_h[:, :, :, None, s]  [gated_delta_rule.yaml:75]
                        const auto beta_h_tile_2_v = at.load(beta_h_in_2);
                        at.store(beta_h_tile_2, beta_h_tile_2_v);
                    });
                    // apart: cast(bitwise_xor(number[s][:, None], number[s][None, :]), fp32)  [gated_delta_rule.yaml:65]
                    VecI32_64x64 number_tile_2_wide(s0_valid, s0_valid); TASSIGN(number_tile_2_wide, 0x04800);  // UB 0x04800..0x08800
                    TCOLEXPAND(number_tile_2_wide, number_tile_2);
                    VecI32_64x64 apart_3_tmp(s0_valid, s0_valid); TASSIGN(apart_3_tmp, 0x0c800);  // UB 0x0c800..0x10800
                    VecI32_64x64 apart_3(s0_valid, s0_valid); TASSIGN(apart_3, 0x08800);  // UB 0x08800..0x0c800
                    TXOR(apart_3, number_tile_wide, number_tile_2_wide, apart_3_tmp);
                    VecF32_64x1 gamma_tile(s0_valid); TASSIGN(gamma_tile, 0x00000);  // UB 0x00000..0x00100
                    VecF32_64x1 place_tile(s0_valid); TASSIGN(place_tile, 0x00100);  // UB 0x00100..0x00200
                    VecF32_64x1 beta_h_tile(s0_valid); TASSIGN(beta_h_tile, 0x00200);  // UB 0x00200..0x00300
                    VecF32_64x64 d2(s0_valid, s0_valid); TASSIGN(d2, 0x10800);  // UB 0x10800..0x14800
                    VecF32_64x64 d8_part(s0_valid, s0_valid); TASSIGN(d8_part, 0x14800);  // UB 0x14800..0x18800
                    VecF32_64x64 d16_part(s0_valid, s0_valid); TASSIGN(d16_part, 0x0c800);  // UB 0x0c800..0x10800
                    VecF32_64x64 d32_part(s0_valid, s0_valid); TASSIGN(d32_part, 0x04700);  // UB 0x04700..0x08700
                    VecF32_64x64 a32(s0_valid, s0_valid); TASSIGN(a32, 0x00300);  // UB 0x00300..0x04300
                    LeftF32_64x64 d4_part_l0a(s0_valid, s0_valid); TASSIGN(d4_part_l0a, 0x00000);  // L0A 0x00000..0x04000
                    TPASS<4>(s0_valid, s0_valid, [&](auto at, auto &d4_part_l0a_rows) {
                        // since: exp(minimum(gamma[:, :, :, s, None] - gamma[:, :, :, None, s], 0))  [gated_delta_rule.yaml:63]
                        const auto since_3 = at.column(gamma_tile);
                        // earlier: upto(place[s][:, None] - place[s][None, :])  [gated_delta_rule.yaml:64]
                        const auto earlier_3 = at.column(place_tile);
                        // a: matmul(key, turned(key), dtype=fp32) * since * beta_h[:, :, :, s, None] * earlier  [gated_delta_rule.yaml:67]
                        const auto a_2 = at.extract(a_2_acc, 0);
                        // since: exp(minimum(gamma[:, :, :, s, None] - gamma[:, :, :, None, s], 0))  [gated_delta_rule.yaml:63]
                        const auto since_3_2 = since_3 - at.row(gamma_tile_2);
                        const auto since_4 = at.min(since_3_2, 0.0f);
                        const auto since = at.exp(since_4);
                        // earlier: upto(place[s][:, None] - place[s][None, :])  [gated_delta_rule.yaml:64]
                        const auto earlier_3_2 = earlier_3 - at.row(place_tile_2);
                        // return: clip(x, 0, 1)  [gated_delta_rule.yaml:38]
                        const auto earlier_4 = at.max(earlier_3_2, 0.0f);
                        const auto earlier = at.min(earlier_4, 1.0f);
                        // apart: cast(bitwise_xor(number[s][:, None], number[s][None, :]), fp32)  [gated_delta_rule.yaml:65]
                        const auto apart_3_v = at.load(apart_3);
                        const auto apart = at.to_float(apart_3_v);
                        // a: matmul(key, turned(key), dtype=fp32) * since * beta_h[:, :, :, s, None] * earlier  [gated_delta_rule.yaml:67]
                        const auto a_3 = a_2 * since;
                        const auto a_5 = a_3 * at.column(beta_h_tile);
                        const auto a = a_5 * earlier;
                        // a1: a * upto(2 - apart)  [gated_delta_rule.yaml:68]
                        const auto a1_1 = -apart;
                        const auto a1_1_2 = a1_1 + 2.0f;
                        // return: clip(x, 0, 1)  [gated_delta_rule.yaml:38]
                        const auto a1_2 = at.max(a1_1_2, 0.0f);
                        const auto a1_3 = at.min(a1_2, 1.0f);
                        // a1: a * upto(2 - apart)  [gated_delta_rule.yaml:68]
                        const auto a1 = a * a1_3;
                        // d2: upto(1 - apart) - a1  [gated_delta_rule.yaml:69]
                        const auto d2_1 = -apart;
                        const auto d2_1_2 = d2_1 + 1.0f;
                        // return: clip(x, 0, 1)  [gated_delta_rule.yaml:38]
                        const auto d2_2 = at.max(d2_1_2, 0.0f);
                        const auto d2_3 = at.min(d2_2, 1.0f);
                        // d2: upto(1 - apart) - a1  [gated_delta_rule.yaml:69]
                        const auto d2_v = d2_3 - a1;
                        at.store(d2, d2_v);
                        // d4, a4: join(d2, a - a1, apart, 2)  [gated_delta_rule.yaml:70]
                        const auto d4_1 = a - a1;
                        // part: rest * upto(2 * size - apart)  [gated_delta_rule.yaml:40]
                        const auto d4_part_1 = -apart;
                        const auto d4_part_1_2 = d4_part_1 + 4.0f;
                        // return: clip(x, 0, 1)  [gated_delta_rule.yaml:38]
                        const auto d4_part_2 = at.max(d4_part_1_2, 0.0f);
                        const auto d4_part_3 = at.min(d4_part_2, 1.0f);
                        // part: rest * upto(2 * size - apart)  [gated_delta_rule.yaml:40]
                        const auto d4_part = d4_1 * d4_part_3;
                        // return: [d + matmul(d, -matmul(part, d)), rest - part]  [gated_delta_rule.yaml:41]
                        const auto a4 = d4_1 - d4_part;
                        // part: rest * upto(2 * size - apart)  [gated_delta_rule.yaml:40]
                        const auto d8_part_1 = -apart;
                        const auto d8_part_1_2 = d8_part_1 + 8.0f;
                        // return: clip(x, 0, 1)  [gated_delta_rule.yaml:38]
                        const auto d8_part_2 = at.max(d8_part_1_2, 0.0f);
                        const auto d8_part_3 = at.min(d8_part_2, 1.0f);
                        // part: rest * upto(2 * size - apart)  [gated_delta_rule.yaml:40]
                        const auto d8_part_v = a4 * d8_part_3;
                        at.store(d8_part, d8_part_v);
                        // return: [d + matmul(d, -matmul(part, d)), rest - part]  [gated_delta_rule.yaml:41]
                        const auto a8 = a4 - d8_part_v;
                        // part: rest * upto(2 * size - apart)  [gated_delta_rule.yaml:40]
                        const auto d16_part_1 = -apart;
                        const auto d16_part_1_2 = d16_part_1 + 16.0f;
                        // return: clip(x, 0, 1)  [gated_delta_rule.yaml:38]
                        const auto d16_part_2 = at.max(d16_part_1_2, 0.0f);
                        const auto d16_part_3 = at.min(d16_part_2, 1.0f);
                        // part: rest * upto(2 * size - apart)  [gated_delta_rule.yaml:40]
                        const auto d16_part_v = a8 * d16_part_3;
                        at.store(d16_part, d16_part_v);
                        // return: [d + matmul(d, -matmul(part, d)), rest - part]  [gated_delta_rule.yaml:41]
                        const auto a16 = a8 - d16_part_v;
                        // part: rest * upto(2 * size - apart)  [gated_delta_rule.yaml:40]
                        const auto d32_part_1 = -apart;
                        const auto d32_part_1_2 = d32_part_1 + 32.0f;
                        // return: clip(x, 0, 1)  [gated_delta_rule.yaml:38]
                        const auto d32_part_2 = at.max(d32_part_1_2, 0.0f);
                        const auto d32_part_3 = at.min(d32_part_2, 1.0f);
                        // part: rest * upto(2 * size - apart)  [gated_delta_rule.yaml:40]
                        const auto d32_part_v = a16 * d32_part_3;
                        at.store(d32_part, d32_part_v);
                        // return: [d + matmul(d, -matmul(part, d)), rest - part]  [gated_delta_rule.yaml:41]
                        const auto a32_v = a16 - d32_part_v;
                        at.store(a32, a32_v);
                        d4_part_l0a_rows.take(at, d4_part);
                    }, LeftRows(d4_part_l0a));
                    RightF32_64x64 d2_l0b(s0_valid, s0_valid); TASSIGN(d2_l0b, 0x00000);  // L0B 0x00000..0x04000
                    TMOV(d2_l0b, d2);
                    AccF32_64x64 d4_2_acc(s0_valid, s0_valid); TASSIGN(d4_2_acc, 0x00000);  // L0C 0x00000..0x04000
                    TMATMUL(d4_2_acc, d4_part_l0a, d2_l0b);
                    VecF32_64x64 d4_3(s0_valid, s0_valid); TASSIGN(d4_3, 0x08700);  // UB 0x08700..0x0c700
                    LeftF32_64x64 d2_l0a(s0_valid, s0_valid); TASSIGN(d2_l0a, 0x00000);  // L0A 0x00000..0x04000
                    TPASS(s0_valid, s0_valid, [&](auto at, auto &d2_l0a_rows) {
                        const auto d4_2 = at.extract(d4_2_acc, 0);
                        const auto d4_3_v = -d4_2;
                        at.store(d4_3, d4_3_v);
                        const auto d2_v = at.load(d2);
                        d2_l0a_rows.take(at, d2_v);
                    }, LeftRows(d2_l0a));
                    RightF32_64x64 d4_3_l0b(s0_valid, s0_valid); TASSIGN(d4_3_l0b, 0x00000);  // L0B 0x00000..0x04000
                    TMOV(d4_3_l0b, d4_3);
                    AccF32_64x64 d4_4_acc(s0_valid, s0_valid); TASSIGN(d4_4_acc, 0x00000);  // L0C 0x00000..0x04000
                    TMATMUL(d4_4_acc, d2_l0a, d4_3_l0b);
                    VecF32_64x64 d4(s0_valid, s0_valid); TASSIGN(d4, 0x08700);  // UB 0x08700..0x0c700
                    LeftF32_64x64 d8_part_l0a(s0_valid, s0_valid); TASSIGN(d8_part_l0a, 0x00000);  // L0A 0x00000..0x04000
                    TPASS(s0_valid, s0_valid, [&](auto at, auto &d8_part_l0a_rows) {
                        const auto d4_4 = at.extract(d4_4_acc, 0);
                        const auto d2_v = at.load(d2);
                        const auto d4_v = d2_v + d4_4;
                        at.store(d4, d4_v);
                        const auto d8_part_v = at.load(d8_part);
                        d8_part_l0a_rows.take(at, d8_part_v);
                    }, LeftRows(d8_part_l0a));
                    RightF32_64x64 d4_l0b(s0_valid, s0_valid); TASSIGN(d4_l0b, 0x00000);  // L0B 0x00000..0x04000
                    TMOV(d4_l0b, d4);
                    AccF32_64x64 d8_1_acc(s0_valid, s0_valid); TASSIGN(d8_1_acc, 0x00000);  // L0C 0x00000..0x04000
                    TMATMUL(d8_1_acc, d8_part_l0a, d4_l0b);
                    VecF32_64x64 d8_2(s0_valid, s0_valid); TASSIGN(d8_2, 0x10800);  // UB 0x10800..0x14800
                    LeftF32_64x64 d4_l0a(s0_valid, s0_valid); TASSIGN(d4_l0a, 0x00000);  // L0A 0x00000..0x04000
                    TPASS(s0_valid, s0_valid, [&](auto at, auto &d4_l0a_rows) {
                        const auto d8_1 = at.extract(d8_1_acc, 0);
                        const auto d8_2_v = -d8_1;
                        at.store(d8_2, d8_2_v);
                        const auto d4_v = at.load(d4);
                        d4_l0a_rows.take(at, d4_v);
                    }, LeftRows(d4_l0a));
                    RightF32_64x64 d8_2_l0b(s0_valid, s0_valid); TASSIGN(d8_2_l0b, 0x00000);  // L0B 0x00000..0x04000
                    TMOV(d8_2_l0b, d8_2);
                    AccF32_64x64 d8_3_acc(s0_valid, s0_valid); TASSIGN(d8_3_acc, 0x00000);  // L0C 0x00000..0x04000
                    TMATMUL(d8_3_acc, d4_l0a, d8_2_l0b);
                    VecF32_64x64 d8(s0_valid, s0_valid); TASSIGN(d8, 0x08700);  // UB 0x08700..0x0c700
                    LeftF32_64x64 d16_part_l0a(s0_valid, s0_valid); TASSIGN(d16_part_l0a, 0x00000);  // L0A 0x00000..0x04000
                    TPASS(s0_valid, s0_valid, [&](auto at, auto &d16_part_l0a_rows) {
                        const auto d8_3 = at.extract(d8_3_acc, 0);
                        const auto d4_v = at.load(d4);
                        const auto d8_v = d4_v + d8_3;
                        at.store(d8, d8_v);
                        const auto d16_part_v = at.load(d16_part);
                        d16_part_l0a_rows.take(at, d16_part_v);
                    }, LeftRows(d16_part_l0a));
                    RightF32_64x64 d8_l0b(s0_valid, s0_valid); TASSIGN(d8_l0b, 0x00000);  // L0B 0x00000..0x04000
                    TMOV(d8_l0b, d8);
                    AccF32_64x64 d16_1_acc(s0_valid, s0_valid); TASSIGN(d16_1_acc, 0x00000);  // L0C 0x00000..0x04000
                    TMATMUL(d16_1_acc, d16_part_l0a, d8_l0b);
                    VecF32_64x64 d16_2(s0_valid, s0_valid); TASSIGN(d16_2, 0x0c700);  // UB 0x0c700..0x10700
                    LeftF32_64x64 d8_l0a(s0_valid, s0_valid); TASSIGN(d8_l0a, 0x00000);  // L0A 0x00000..0x04000
                    TPASS(s0_valid, s0_valid, [&](auto at, auto &d8_l0a_rows) {
                        const auto d16_1 = at.extract(d16_1_acc, 0);
                        const auto d16_2_v = -d16_1;
                        at.store(d16_2, d16_2_v);
                        const auto d8_v = at.load(d8);
                        d8_l0a_rows.take(at, d8_v);
                    }, LeftRows(d8_l0a));
                    RightF32_64x64 d16_2_l0b(s0_valid, s0_valid); TASSIGN(d16_2_l0b, 0x00000);  // L0B 0x00000..0x04000
                    TMOV(d16_2_l0b, d16_2);
                    AccF32_64x64 d16_3_acc(s0_valid, s0_valid); TASSIGN(d16_3_acc, 0x00000);  // L0C 0x00000..0x04000
                    TMATMUL(d16_3_acc, d8_l0a, d16_2_l0b);
                    VecF32_64x64 d16(s0_valid, s0_valid); TASSIGN(d16, 0x08700);  // UB 0x08700..0x0c700
                    LeftF32_64x64 d32_part_l0a(s0_valid, s0_valid); TASSIGN(d32_part_l0a, 0x00000);  // L0A 0x00000..0x04000
                    TPASS(s0_valid, s0_valid, [&](auto at, auto &d32_part_l0a_rows) {
                        const auto d16_3 = at.extract(d16_3_acc, 0);
                        const auto d8_v = at.load(d8);
                        const auto d16_v = d8_v + d16_3;
                        at.store(d16, d16_v);
                        const auto d32_part_v = at.load(d32_part);
                        d32_part_l0a_rows.take(at, d32_part_v);
                    }, LeftRows(d32_part_l0a));
                    RightF32_64x64 d16_l0b(s0_valid, s0_valid); TASSIGN(d16_l0b, 0x00000);  // L0B 0x00000..0x04000
                    TMOV(d16_l0b, d16);
                    AccF32_64x64 d32_1_acc(s0_valid, s0_valid); TASSIGN(d32_1_acc, 0x00000);  // L0C 0x00000..0x04000
                    TMATMUL(d32_1_acc, d32_part_l0a, d16_l0b);
                    VecF32_64x64 d32_2(s0_valid, s0_valid); TASSIGN(d32_2, 0x04500);  // UB 0x04500..0x08500
                    LeftF32_64x64 d16_l0a(s0_valid, s0_valid); TASSIGN(d16_l0a, 0x00000);  // L0A 0x00000..0x04000
                    TPASS(s0_valid, s0_valid, [&](auto at, auto &d16_l0a_rows) {
                        const auto d32_1 = at.extract(d32_1_acc, 0);
                        const auto d32_2_v = -d32_1;
                        at.store(d32_2, d32_2_v);
                        const auto d16_v = at.load(d16);
                        d16_l0a_rows.take(at, d16_v);
                    }, LeftRows(d16_l0a));
                    RightF32_64x64 d32_2_l0b(s0_valid, s0_valid); TASSIGN(d32_2_l0b, 0x00000);  // L0B 0x00000..0x04000
                    TMOV(d32_2_l0b, d32_2);
                    AccF32_64x64 d32_3_acc(s0_valid, s0_valid); TASSIGN(d32_3_acc, 0x00000);  // L0C 0x00000..0x04000
                    TMATMUL(d32_3_acc, d16_l0a, d32_2_l0b);
                    VecF32_64x64 d32(s0_valid, s0_valid); TASSIGN(d32, 0x04500);  // UB 0x04500..0x08500
                    LeftF32_64x64 a32_l0a(s0_valid, s0_valid); TASSIGN(a32_l0a, 0x00000);  // L0A 0x00000..0x04000
                    TPASS(s0_valid, s0_valid, [&](auto at, auto &a32_l0a_rows) {
                        const auto d32_3 = at.extract(d32_3_acc, 0);
                        const auto d16_v = at.load(d16);
                        const auto d32_v = d16_v + d32_3;
                        at.store(d32, d32_v);
                        // d64: d32 + matmul(d32, -matmul(a32, d32))  [gated_delta_rule.yaml:74]
                        const auto a32_v = at.load(a32);
                        a32_l0a_rows.take(at, a32_v);
                    }, LeftRows(a32_l0a));
                    RightF32_64x64 d32_l0b(s0_valid, s0_valid); TASSIGN(d32_l0b, 0x00000);  // L0B 0x00000..0x04000
                    TMOV(d32_l0b, d32);
                    AccF32_64x64 d64_1_acc(s0_valid, s0_valid); TASSIGN(d64_1_acc, 0x00000);  // L0C 0x00000..0x04000
                    TMATMUL(d64_1_acc, a32_l0a, d32_l0b);
                    VecF32_64x64 d64_2(s0_valid, s0_valid); TASSIGN(d64_2, 0x00000);  // UB 0x00000..0x04000
                    LeftF32_64x64 d32_l0a(s0_valid, s0_valid); TASSIGN(d32_l0a, 0x00000);  // L0A 0x00000..0x04000
                    TPASS(s0_valid, s0_valid, [&](auto at, auto &d32_l0a_rows) {
                        const auto d64_1 = at.extract(d64_1_acc, 0);
                        const auto d64_2_v = -d64_1;
                        at.store(d64_2, d64_2_v);
                        const auto d32_v = at.load(d32);
                        d32_l0a_rows.take(at, d32_v);
                    }, LeftRows(d32_l0a));
                    RightF32_64x64 d64_2_l0b(s0_valid, s0_valid); TASSIGN(d64_2_l0b, 0x00000);  // L0B 0x00000..0x04000
                    TMOV(d64_2_l0b, d64_2);
                    AccF32_64x64 d64_3_acc(s0_valid, s0_valid); TASSIGN(d64_3_acc, 0x00000);  // L0C 0x00000..0x04000
                    TMATMUL(d64_3_acc, d32_l0a, d64_2_l0b);
                    // u: matmul(cast(d, bf16), v_h[:, :, :, s], dtype=fp32)  [gated_delta_rule.yaml:77]
                    RightB16_64x128 v_h_tile(s0_valid); TASSIGN(v_h_tile, 0x00000);  // L0B 0x00000..0x04000
                    KNGm v_h_in(v_h + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TLOAD(v_h_tile, v_h_in);
                    VecB16_64x64 w_3(s0_valid, s0_valid); TASSIGN(w_3, 0x00000);  // UB 0x00000..0x02000
                    LeftB16_64x64 u_1_l0a(s0_valid, s0_valid); TASSIGN(u_1_l0a, 0x00000);  // L0A 0x00000..0x02000
                    TPASS(s0_valid, s0_valid, [&](auto at, auto &u_1_l0a_rows) {
                        // d64: d32 + matmul(d32, -matmul(a32, d32))  [gated_delta_rule.yaml:74]
                        const auto d64_3 = at.extract(d64_3_acc, 0);
                        const auto d32_v = at.load(d32);
                        const auto d64 = d32_v + d64_3;
                        // d: d64 * beta_h[:, :, :, None, s]  [gated_delta_rule.yaml:75]
                        const auto d = d64 * at.row(beta_h_tile_2);
                        // w: matmul(cast(d * exp(gamma[:, :, :, None, s]), bf16), key)  [gated_delta_rule.yaml:78]
                        const auto w_2 = d * at.row(w_1);
                        at.store(w_3, w_2);
                        // u: matmul(cast(d, bf16), v_h[:, :, :, s], dtype=fp32)  [gated_delta_rule.yaml:77]
                        u_1_l0a_rows.take(at, d);
                    }, LeftRows(u_1_l0a));
                    AccF32_64x128 u_block_2_acc(s0_valid); TASSIGN(u_block_2_acc, 0x00000);  // L0C 0x00000..0x08000
                    TMATMUL(u_block_2_acc, u_1_l0a, v_h_tile);
                    UGm u_out(u + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TSTORE(u_out, u_block_2_acc);
                    // w: matmul(cast(d * exp(gamma[:, :, :, None, s]), bf16), key)  [gated_delta_rule.yaml:78]
                    RightB16_64x128 key_2(s0_valid); TASSIGN(key_2, 0x00000);  // L0B 0x00000..0x04000
                    KNGm k_n_in_3(k_n + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TLOAD(key_2, k_n_in_3);
                    LeftB16_64x64 w_3_l0a(s0_valid, s0_valid); TASSIGN(w_3_l0a, 0x00000);  // L0A 0x00000..0x02000
                    TMOV(w_3_l0a, w_3);
                    AccF32_64x128 w_block_acc(s0_valid); TASSIGN(w_block_acc, 0x00000);  // L0C 0x00000..0x08000
                    TMATMUL(w_block_acc, w_3_l0a, key_2);
                    KNGm w_out(w + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TSTORE(w_out, w_block_acc);
                }
            }
        }
    }
}
