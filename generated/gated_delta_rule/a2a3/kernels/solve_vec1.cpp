// solve_vec1: vector kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages solve; tiles b 1, group 1, heads 1, s 64; memory UB 99072 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x64_r1 = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_64x64 = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_64x64 = Tile<TileType::Vec, int32_t, 64, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecI32_64x1 = Tile<TileType::Vec, int32_t, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using GammaGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using GammaGm2 = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using PlaceGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using NumberGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using NumberGm2 = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using A2Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 64, 1>>;
}  // namespace

extern "C" __global__ AICORE void solve_vec1(
    __gm__ float *d2,
    __gm__ float *d4_part,
    __gm__ float *d8_part,
    __gm__ float *d16_part,
    __gm__ float *d32_part,
    __gm__ float *a32,
    __gm__ float *w_1,
    __gm__ float *gamma,
    __gm__ float *place,
    __gm__ int32_t *number,
    __gm__ float *a_2,
    __gm__ float *beta_h,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free for the first round
    for (int32_t b0 = b_begin; b0 < b_end; ++b0) {
        for (int32_t heads0 = block; heads0 < 16; heads0 += nblk) {
            for (int32_t group0 = 0; group0 < 2; ++group0) {
                for (int32_t s0 = 0; s0 < s; s0 += 64) {
                    const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
                    // since: exp(minimum(gamma[:, :, :, s, None] - gamma[:, :, :, None, s], 0))  [gated_delta_rule.yaml:63]
                    VecF32_1x64 gamma_tile_row(s0_valid); TASSIGN(gamma_tile_row, 0x00000);  // as a row, same bytes as gamma_tile
                    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free again
                    GammaGm gamma_in(gamma + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid});
                    TLOAD(gamma_tile_row, gamma_in);
                    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID7);
                    VecF32_8x64_r1 gamma_tile_2(s0_valid); TASSIGN(gamma_tile_2, 0x00100);  // UB 0x00100..0x00200
                    GammaGm2 gamma_in_2(gamma + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid}, {int64_t(s)});
                    TLOAD(gamma_tile_2, gamma_in_2);
                    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID6);
                    VecF32_64x64 since(s0_valid, s0_valid); TASSIGN(since, 0x00200);  // UB 0x00200..0x04200
                    VecF32_64x1 gamma_tile(s0_valid); TASSIGN(gamma_tile, 0x00000);  // UB 0x00000..0x00100
                    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID7);
                    TROWEXPAND(since, gamma_tile);
                    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID6);
                    TCOLEXPANDSUB(since, since, gamma_tile_2);
                    pipe_barrier(PIPE_V);
                    TMINS(since, since, 0.0f);
                    pipe_barrier(PIPE_V);
                    TEXP(since, since);
                    // earlier: upto(place[s][:, None] - place[s][None, :])  [gated_delta_rule.yaml:64]
                    VecF32_1x64 place_tile_row(s0_valid); TASSIGN(place_tile_row, 0x00000);  // as a row, same bytes as place_tile
                    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);
                    GammaGm place_in(place + int64_t(s0), {s0_valid});
                    TLOAD(place_tile_row, place_in);
                    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID5);
                    VecF32_1x64 place_tile_2(s0_valid); TASSIGN(place_tile_2, 0x04200);  // UB 0x04200..0x04300
                    PlaceGm place_in_2(place + int64_t(s0), {s0_valid});
                    TLOAD(place_tile_2, place_in_2);
                    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
                    VecF32_64x64 earlier_3(s0_valid, s0_valid); TASSIGN(earlier_3, 0x04300);  // UB 0x04300..0x08300
                    VecF32_64x1 place_tile(s0_valid); TASSIGN(place_tile, 0x00000);  // UB 0x00000..0x00100
                    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID5);
                    TROWEXPAND(earlier_3, place_tile);
                    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
                    TCOLEXPANDSUB(earlier_3, earlier_3, place_tile_2);
                    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
                    // return: clip(x, 0, 1)  [gated_delta_rule.yaml:38]
                    VecF32_64x64 earlier(s0_valid, s0_valid); TASSIGN(earlier, 0x04300);  // UB 0x04300..0x08300
                    pipe_barrier(PIPE_V);
                    TMAXS(earlier, earlier_3, 0.0f);
                    pipe_barrier(PIPE_V);
                    TMINS(earlier, earlier, 1.0f);
                    // apart: cast(bitwise_xor(number[s][:, None], number[s][None, :]), fp32)  [gated_delta_rule.yaml:65]
                    VecI32_1x64 number_tile_row(s0_valid); TASSIGN(number_tile_row, 0x00000);  // as a row, same bytes as number_tile
                    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);
                    NumberGm number_in(number + int64_t(s0), {s0_valid});
                    TLOAD(number_tile_row, number_in);
                    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
                    VecI32_1x64 number_tile_2(s0_valid); TASSIGN(number_tile_2, 0x04200);  // UB 0x04200..0x04300
                    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
                    NumberGm2 number_in_2(number + int64_t(s0), {s0_valid});
                    TLOAD(number_tile_2, number_in_2);
                    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
                    VecI32_64x64 number_tile_wide(s0_valid, s0_valid); TASSIGN(number_tile_wide, 0x08300);  // UB 0x08300..0x0c300
                    VecI32_64x1 number_tile(s0_valid); TASSIGN(number_tile, 0x00000);  // UB 0x00000..0x00100
                    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
                    TROWEXPAND(number_tile_wide, number_tile);
                    VecI32_64x64 number_tile_2_wide(s0_valid, s0_valid); TASSIGN(number_tile_2_wide, 0x0c300);  // UB 0x0c300..0x10300
                    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
                    TCOLEXPAND(number_tile_2_wide, number_tile_2);
                    VecI32_64x64 apart_3_tmp(s0_valid, s0_valid); TASSIGN(apart_3_tmp, 0x14300);  // UB 0x14300..0x18300
                    VecI32_64x64 apart_3(s0_valid, s0_valid); TASSIGN(apart_3, 0x10300);  // UB 0x10300..0x14300
                    pipe_barrier(PIPE_V);
                    TXOR(apart_3, number_tile_wide, number_tile_2_wide, apart_3_tmp);
                    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
                    VecF32_64x64 apart(s0_valid, s0_valid); TASSIGN(apart, 0x08300);  // UB 0x08300..0x0c300
                    pipe_barrier(PIPE_V);
                    TCVT(apart, apart_3, RoundMode::CAST_RINT);
                    // a: matmul(key, turned(key), dtype=fp32) * since * beta_h[:, :, :, s, None] * earlier  [gated_delta_rule.yaml:67]
                    VecF32_64x64 a_2_tile(s0_valid, s0_valid); TASSIGN(a_2_tile, 0x0c300);  // UB 0x0c300..0x10300
                    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
                    A2Gm a_2_in(a_2 + int64_t(b0) * s * 1024 + int64_t(heads0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
                    TLOAD(a_2_tile, a_2_in);
                    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
                    VecF32_64x64 a(s0_valid, s0_valid); TASSIGN(a, 0x00200);  // UB 0x00200..0x04200
                    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
                    TMUL(a, a_2_tile, since);
                    VecF32_1x64 beta_h_tile_row(s0_valid); TASSIGN(beta_h_tile_row, 0x00000);  // as a row, same bytes as beta_h_tile
                    GammaGm beta_h_in(beta_h + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid});
                    TLOAD(beta_h_tile_row, beta_h_in);
                    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                    VecF32_64x1 beta_h_tile(s0_valid); TASSIGN(beta_h_tile, 0x00000);  // UB 0x00000..0x00100
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                    TROWEXPANDMUL(a, a, beta_h_tile);
                    pipe_barrier(PIPE_V);
                    TMUL(a, a, earlier);
                    // a1: a * upto(2 - apart)  [gated_delta_rule.yaml:68]
                    VecF32_64x64 a1_1(s0_valid, s0_valid); TASSIGN(a1_1, 0x04200);  // UB 0x04200..0x08200
                    pipe_barrier(PIPE_V);
                    TNEG(a1_1, apart);
                    pipe_barrier(PIPE_V);
                    TADDS(a1_1, a1_1, 2.0f);
                    // return: clip(x, 0, 1)  [gated_delta_rule.yaml:38]
                    VecF32_64x64 a1_2(s0_valid, s0_valid); TASSIGN(a1_2, 0x04200);  // UB 0x04200..0x08200
                    pipe_barrier(PIPE_V);
                    TMAXS(a1_2, a1_1, 0.0f);
                    pipe_barrier(PIPE_V);
                    TMINS(a1_2, a1_2, 1.0f);
                    // a1: a * upto(2 - apart)  [gated_delta_rule.yaml:68]
                    VecF32_64x64 a1(s0_valid, s0_valid); TASSIGN(a1, 0x04200);  // UB 0x04200..0x08200
                    pipe_barrier(PIPE_V);
                    TMUL(a1, a, a1_2);
                    // d2: upto(1 - apart) - a1  [gated_delta_rule.yaml:69]
                    VecF32_64x64 d2_1(s0_valid, s0_valid); TASSIGN(d2_1, 0x0c300);  // UB 0x0c300..0x10300
                    TNEG(d2_1, apart);
                    pipe_barrier(PIPE_V);
                    TADDS(d2_1, d2_1, 1.0f);
                    // return: clip(x, 0, 1)  [gated_delta_rule.yaml:38]
                    VecF32_64x64 d2_2(s0_valid, s0_valid); TASSIGN(d2_2, 0x0c300);  // UB 0x0c300..0x10300
                    pipe_barrier(PIPE_V);
                    TMAXS(d2_2, d2_1, 0.0f);
                    pipe_barrier(PIPE_V);
                    TMINS(d2_2, d2_2, 1.0f);
                    // d2: upto(1 - apart) - a1  [gated_delta_rule.yaml:69]
                    VecF32_64x64 d2_tile(s0_valid, s0_valid); TASSIGN(d2_tile, 0x0c300);  // UB 0x0c300..0x10300
                    pipe_barrier(PIPE_V);
                    TSUB(d2_tile, d2_2, a1);
                    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID6);
                    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID6);
                    A2Gm d2_out(d2 + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
                    TSTORE(d2_out, d2_tile);
                    // d4, a4: join(d2, a - a1, apart, 2)  [gated_delta_rule.yaml:70]
                    VecF32_64x64 d4_1(s0_valid, s0_valid); TASSIGN(d4_1, 0x00200);  // UB 0x00200..0x04200
                    TSUB(d4_1, a, a1);
                    // part: rest * upto(2 * size - apart)  [gated_delta_rule.yaml:40]
                    VecF32_64x64 d4_part_1(s0_valid, s0_valid); TASSIGN(d4_part_1, 0x04200);  // UB 0x04200..0x08200
                    pipe_barrier(PIPE_V);
                    TNEG(d4_part_1, apart);
                    pipe_barrier(PIPE_V);
                    TADDS(d4_part_1, d4_part_1, 4.0f);
                    // return: clip(x, 0, 1)  [gated_delta_rule.yaml:38]
                    VecF32_64x64 d4_part_2(s0_valid, s0_valid); TASSIGN(d4_part_2, 0x04200);  // UB 0x04200..0x08200
                    pipe_barrier(PIPE_V);
                    TMAXS(d4_part_2, d4_part_1, 0.0f);
                    pipe_barrier(PIPE_V);
                    TMINS(d4_part_2, d4_part_2, 1.0f);
                    // part: rest * upto(2 * size - apart)  [gated_delta_rule.yaml:40]
                    VecF32_64x64 d4_part_tile(s0_valid, s0_valid); TASSIGN(d4_part_tile, 0x04200);  // UB 0x04200..0x08200
                    pipe_barrier(PIPE_V);
                    TMUL(d4_part_tile, d4_1, d4_part_2);
                    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID5);
                    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID5);
                    A2Gm d4_part_out(d4_part + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
                    TSTORE(d4_part_out, d4_part_tile);
                    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);
                    // return: [d + matmul(d, -matmul(part, d)), rest - part]  [gated_delta_rule.yaml:41]
                    VecF32_64x64 a4(s0_valid, s0_valid); TASSIGN(a4, 0x00200);  // UB 0x00200..0x04200
                    pipe_barrier(PIPE_V);
                    TSUB(a4, d4_1, d4_part_tile);
                    // part: rest * upto(2 * size - apart)  [gated_delta_rule.yaml:40]
                    VecF32_64x64 d8_part_1(s0_valid, s0_valid); TASSIGN(d8_part_1, 0x04200);  // UB 0x04200..0x08200
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);
                    TNEG(d8_part_1, apart);
                    pipe_barrier(PIPE_V);
                    TADDS(d8_part_1, d8_part_1, 8.0f);
                    // return: clip(x, 0, 1)  [gated_delta_rule.yaml:38]
                    VecF32_64x64 d8_part_2(s0_valid, s0_valid); TASSIGN(d8_part_2, 0x04200);  // UB 0x04200..0x08200
                    pipe_barrier(PIPE_V);
                    TMAXS(d8_part_2, d8_part_1, 0.0f);
                    pipe_barrier(PIPE_V);
                    TMINS(d8_part_2, d8_part_2, 1.0f);
                    // part: rest * upto(2 * size - apart)  [gated_delta_rule.yaml:40]
                    VecF32_64x64 d8_part_tile(s0_valid, s0_valid); TASSIGN(d8_part_tile, 0x04200);  // UB 0x04200..0x08200
                    pipe_barrier(PIPE_V);
                    TMUL(d8_part_tile, a4, d8_part_2);
                    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID4);
                    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID4);
                    A2Gm d8_part_out(d8_part + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
                    TSTORE(d8_part_out, d8_part_tile);
                    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
                    // return: [d + matmul(d, -matmul(part, d)), rest - part]  [gated_delta_rule.yaml:41]
                    VecF32_64x64 a8(s0_valid, s0_valid); TASSIGN(a8, 0x00200);  // UB 0x00200..0x04200
                    pipe_barrier(PIPE_V);
                    TSUB(a8, a4, d8_part_tile);
                    // part: rest * upto(2 * size - apart)  [gated_delta_rule.yaml:40]
                    VecF32_64x64 d16_part_1(s0_valid, s0_valid); TASSIGN(d16_part_1, 0x04200);  // UB 0x04200..0x08200
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
                    TNEG(d16_part_1, apart);
                    pipe_barrier(PIPE_V);
                    TADDS(d16_part_1, d16_part_1, 16.0f);
                    // return: clip(x, 0, 1)  [gated_delta_rule.yaml:38]
                    VecF32_64x64 d16_part_2(s0_valid, s0_valid); TASSIGN(d16_part_2, 0x04200);  // UB 0x04200..0x08200
                    pipe_barrier(PIPE_V);
                    TMAXS(d16_part_2, d16_part_1, 0.0f);
                    pipe_barrier(PIPE_V);
                    TMINS(d16_part_2, d16_part_2, 1.0f);
                    // part: rest * upto(2 * size - apart)  [gated_delta_rule.yaml:40]
                    VecF32_64x64 d16_part_tile(s0_valid, s0_valid); TASSIGN(d16_part_tile, 0x04200);  // UB 0x04200..0x08200
                    pipe_barrier(PIPE_V);
                    TMUL(d16_part_tile, a8, d16_part_2);
                    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID3);
                    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID3);
                    A2Gm d16_part_out(d16_part + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
                    TSTORE(d16_part_out, d16_part_tile);
                    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
                    // return: [d + matmul(d, -matmul(part, d)), rest - part]  [gated_delta_rule.yaml:41]
                    VecF32_64x64 a16(s0_valid, s0_valid); TASSIGN(a16, 0x00200);  // UB 0x00200..0x04200
                    pipe_barrier(PIPE_V);
                    TSUB(a16, a8, d16_part_tile);
                    // part: rest * upto(2 * size - apart)  [gated_delta_rule.yaml:40]
                    VecF32_64x64 d32_part_1(s0_valid, s0_valid); TASSIGN(d32_part_1, 0x04200);  // UB 0x04200..0x08200
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
                    TNEG(d32_part_1, apart);
                    pipe_barrier(PIPE_V);
                    TADDS(d32_part_1, d32_part_1, 32.0f);
                    // return: clip(x, 0, 1)  [gated_delta_rule.yaml:38]
                    VecF32_64x64 d32_part_2(s0_valid, s0_valid); TASSIGN(d32_part_2, 0x04200);  // UB 0x04200..0x08200
                    pipe_barrier(PIPE_V);
                    TMAXS(d32_part_2, d32_part_1, 0.0f);
                    pipe_barrier(PIPE_V);
                    TMINS(d32_part_2, d32_part_2, 1.0f);
                    // part: rest * upto(2 * size - apart)  [gated_delta_rule.yaml:40]
                    VecF32_64x64 d32_part_tile(s0_valid, s0_valid); TASSIGN(d32_part_tile, 0x04200);  // UB 0x04200..0x08200
                    pipe_barrier(PIPE_V);
                    TMUL(d32_part_tile, a16, d32_part_2);
                    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
                    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
                    A2Gm d32_part_out(d32_part + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
                    TSTORE(d32_part_out, d32_part_tile);
                    // return: [d + matmul(d, -matmul(part, d)), rest - part]  [gated_delta_rule.yaml:41]
                    VecF32_64x64 a32_tile(s0_valid, s0_valid); TASSIGN(a32_tile, 0x00200);  // UB 0x00200..0x04200
                    pipe_barrier(PIPE_V);
                    TSUB(a32_tile, a16, d32_part_tile);
                    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
                    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
                    A2Gm a32_out(a32 + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
                    TSTORE(a32_out, a32_tile);
                    // w: matmul(cast(d * exp(gamma[:, :, :, None, s]), bf16), key)  [gated_delta_rule.yaml:78]
                    VecF32_8x64_r1 w_1_tile(s0_valid); TASSIGN(w_1_tile, 0x00000);  // UB 0x00000..0x00100
                    TEXP(w_1_tile, gamma_tile_2);
                    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                    GammaGm2 w_1_out(w_1 + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid}, {int64_t(s)});
                    TSTORE(w_1_out, w_1_tile);
                    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
                }
            }
        }
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // of the last round
#endif
}
