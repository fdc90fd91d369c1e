// scan: mixed kernel of `gated_delta_rule` for cpu. Made by pyptogen; change the spec, not this file.
// stages scan; tiles b 1, group 1, heads 1, s 64; memory L0A 16384 B, L0B 32768 B, L0C 65536 B, UB 99200 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_128x128 = Tile<TileType::Vec, float, 128, 128, BLayout::RowMajor, 128, 128>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using LeftB16_64x128 = TileLeft<bfloat16_t, 64, 128, DYNAMIC, 128>;
using VecF32_8x1_r1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1>;
using VecF32_1x8_c1 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using VecB16_128x128 = Tile<TileType::Vec, bfloat16_t, 128, 128, BLayout::RowMajor, 128, 128>;
using RightB16_128x128 = TileRight<bfloat16_t, 128, 128, 128, 128>;
using AccF32_64x128 = TileAcc<float, 64, 128, DYNAMIC, 128>;
using LeftB16_128x64 = TileLeft<bfloat16_t, 128, 64, 128, DYNAMIC>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecB16_64x128 = Tile<TileType::Vec, bfloat16_t, 64, 128, BLayout::RowMajor, DYNAMIC, 128>;
using RightB16_64x128 = TileRight<bfloat16_t, 64, 128, DYNAMIC, 128>;
using AccF32_128x128 = TileAcc<float, 128, 128, 128, 128>;
using StateTGm = GlobalTensor<float, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;
using GammaGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using WGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using GammaGm2 = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using RecalledGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using KNGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, 1, 128>, Layout::DN>;
}  // namespace

extern "C" __global__ AICORE void scan(
    __gm__ float *recalled,
    __gm__ bfloat16_t *change,
    __gm__ float *state_out,
    __gm__ float *state_t,
    __gm__ float *gamma,
    __gm__ bfloat16_t *w,
    __gm__ bfloat16_t *q_n,
    __gm__ float *u,
    __gm__ bfloat16_t *k_n,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t b0 = b_begin; b0 < b_end; ++b0) {
        for (int32_t heads0 = block; heads0 < 16; heads0 += nblk) {
            for (int32_t group0 = 0; group0 < 2; ++group0) {
                VecF32_128x128 state_end; TASSIGN(state_end, 0x00000);  // UB 0x00000..0x10000
                StateTGm state_t_in(state_t + int64_t(b0) * 524288 + int64_t(heads0) * 32768 + int64_t(group0) * 16384);
                TPASS(128, 128, [&](auto at) {
                    // state_end: state_t  [gated_delta_rule.yaml:82]
                    const auto state_t_tile = at.load(state_t_in);
                    at.store(state_end, state_t_tile);
                });
                for (int32_t s0 = 0; s0 < s; s0 += 64) {
                    const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
                    // left: cast(fresh * exp(last - gamma[:, :, :, s, None]), bf16)  [gated_delta_rule.yaml:87]
                    VecF32_1x64 gamma_tile_2_row(s0_valid); TASSIGN(gamma_tile_2_row, 0x10000);  // as a row, same bytes as gamma_tile_2
                    GammaGm gamma_in(gamma + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid});
                    TLOAD(gamma_tile_2_row, gamma_in);
                    // fresh: u[:, :, :, s] - matmul(w[:, :, :, s], before, dtype=fp32)  [gated_delta_rule.yaml:85]
                    LeftB16_64x128 w_tile(s0_valid); TASSIGN(w_tile, 0x00000);  // L0A 0x00000..0x04000
                    WGm w_in(w + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TLOAD(w_tile, w_in);
                    VecF32_8x1_r1 last; TASSIGN(last, 0x10100);  // UB 0x10100..0x10120
                    GammaGm2 gamma_in_2(gamma + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid}, {int64_t(s)});
                    TPASS(1, s0_valid, [&](auto at, auto &last_min) {
                        // last: amin(gamma[:, :, :, None, s], axis=-1, keepdim=true)  [gated_delta_rule.yaml:86]
                        const auto gamma_tile = at.load(gamma_in_2);
                        last_min.take(at, gamma_tile);
                    }, RowMin(last));
                    // left: cast(fresh * exp(last - gamma[:, :, :, s, None]), bf16)  [gated_delta_rule.yaml:87]
                    VecF32_1x64 last_wide_row(s0_valid); TASSIGN(last_wide_row, 0x10140);  // as a row, same bytes as last_wide
                    TROWEXPAND(last_wide_row, last);
                    VecF32_1x64 left_2_row(s0_valid); TASSIGN(left_2_row, 0x10240);  // as a row, same bytes as left_2
                    TSUB(left_2_row, last_wide_row, gamma_tile_2_row);
                    VecF32_1x64 left_3_row(s0_valid); TASSIGN(left_3_row, 0x10000);  // as a row, same bytes as left_3
                    TEXP(left_3_row, left_2_row);
                    // state_end: state_end * exp(last) + matmul(turned(k_n[:, :, None, s]), left, dtype=fp32)  [gated_delta_rule.yaml:89]
                    VecF32_1x8_c1 state_end_1_row; TASSIGN(state_end_1_row, 0x10140);  // as a row, same bytes as state_end_1
                    VecF32_1x8_c1 last_row; TASSIGN(last_row, 0x10100);  // as a row, same bytes as last
                    TEXP(state_end_1_row, last_row);
                    VecF32_1x128 state_end_1_wide; TASSIGN(state_end_1_wide, 0x10180);  // UB 0x10180..0x10380
                    VecF32_8x1_r1 state_end_1; TASSIGN(state_end_1, 0x10140);  // UB 0x10140..0x10160
                    TROWEXPAND(state_end_1_wide, state_end_1);
                    VecB16_128x128 before; TASSIGN(before, 0x10380);  // UB 0x10380..0x18380
                    TPASS(128, 128, [&](auto at) {
                        // before: cast(state_end, bf16)  [gated_delta_rule.yaml:84]
                        const auto state_end_v = at.load(state_end);
                        at.store(before, state_end_v);
                        // state_end: state_end * exp(last) + matmul(turned(k_n[:, :, None, s]), left, dtype=fp32)  [gated_delta_rule.yaml:89]
                        const auto state_end_v_2 = state_end_v * at.row(state_end_1_wide);
                        at.store(state_end, state_end_v_2);
                    });
                    // fresh: u[:, :, :, s] - matmul(w[:, :, :, s], before, dtype=fp32)  [gated_delta_rule.yaml:85]
                    RightB16_128x128 before_l0b; TASSIGN(before_l0b, 0x00000);  // L0B 0x00000..0x08000
                    TMOV(before_l0b, before);
                    AccF32_64x128 fresh_1_acc(s0_valid); TASSIGN(fresh_1_acc, 0x00000);  // L0C 0x00000..0x08000
                    TMATMUL(fresh_1_acc, w_tile, before_l0b);
                    // recalled: matmul(q_n[:, :, None, s], before, dtype=fp32)  [gated_delta_rule.yaml:92]
                    LeftB16_64x128 q_n_tile(s0_valid); TASSIGN(q_n_tile, 0x00000);  // L0A 0x00000..0x04000
                    WGm q_n_in(q_n + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TLOAD(q_n_tile, q_n_in);
                    RightB16_128x128 before_l0b_2; TASSIGN(before_l0b_2, 0x00000);  // L0B 0x00000..0x08000
                    TMOV(before_l0b_2, before);
                    AccF32_64x128 recalled_block_2_acc(s0_valid); TASSIGN(recalled_block_2_acc, 0x08000);  // L0C 0x08000..0x10000
                    TMATMUL(recalled_block_2_acc, q_n_tile, before_l0b_2);
                    RecalledGm recalled_out(recalled + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TSTORE(recalled_out, recalled_block_2_acc);
                    // state_end: state_end * exp(last) + matmul(turned(k_n[:, :, None, s]), left, dtype=fp32)  [gated_delta_rule.yaml:89]
                    LeftB16_128x64 k_n_tile(s0_valid); TASSIGN(k_n_tile, 0x00000);  // L0A 0x00000..0x04000
                    KNGm k_n_in(k_n + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TLOAD(k_n_tile, k_n_in);
                    VecF32_64x1 left_3(s0_valid); TASSIGN(left_3, 0x10000);  // UB 0x10000..0x10100
                    VecB16_64x128 left(s0_valid); TASSIGN(left, 0x10100);  // UB 0x10100..0x14100
                    RecalledGm u_in(u + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    WGm change_out(change + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TPASS(s0_valid, 128, [&](auto at) {
                        // fresh: u[:, :, :, s] - matmul(w[:, :, :, s], before, dtype=fp32)  [gated_delta_rule.yaml:85]
                        const auto u_tile = at.load(u_in);
                        const auto fresh_1 = at.extract(fresh_1_acc, 0);
                        const auto fresh = u_tile - fresh_1;
                        // left: cast(fresh * exp(last - gamma[:, :, :, s, None]), bf16)  [gated_delta_rule.yaml:87]
                        const auto left_4 = fresh * at.column(left_3);
                        at.store(left, left_4);
                        // change: cast(fresh, bf16)  [gated_delta_rule.yaml:91]
                        at.store(change_out, fresh);
                    });
                    // state_end: state_end * exp(last) + matmul(turned(k_n[:, :, None, s]), left, dtype=fp32)  [gated_delta_rule.yaml:89]
                    RightB16_64x128 left_l0b(s0_valid); TASSIGN(left_l0b, 0x00000);  // L0B 0x00000..0x04000
                    TMOV(left_l0b, left);
                    AccF32_128x128 state_end_5_acc; TASSIGN(state_end_5_acc, 0x00000);  // L0C 0x00000..0x10000
                    TMATMUL(state_end_5_acc, k_n_tile, left_l0b);
                    TPASS(128, 128, [&](auto at) {
                        const auto state_end_5 = at.extract(state_end_5_acc, 0);
                        const auto state_end_v = at.load(state_end);
                        const auto state_end_v_2 = state_end_v + state_end_5;
                        at.store(state_end, state_end_v_2);
                    });
                }
                // state_end: state_t  [gated_delta_rule.yaml:82]
                StateTGm state_out_out(state_out + int64_t(b0) * 524288 + int64_t(heads0) * 32768 + int64_t(group0) * 16384);
                TSTORE(state_out_out, state_end);
            }
        }
    }
}
