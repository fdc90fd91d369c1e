// read: mixed kernel of `gated_delta_rule` for cpu. Made by pyptogen; change the spec, not this file.
// stages read; tiles b 1, group 1, heads 1, s 64; memory L0A 16384 B, L0B 16384 B, L0C 32768 B, UB 1280 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftB16_64x128 = TileLeft<bfloat16_t, 64, 128, DYNAMIC, 128>;
using RightB16_128x64 = TileRight<bfloat16_t, 128, 64, 128, DYNAMIC>;
using AccF32_64x64 = TileAcc<float, 64, 64, DYNAMIC, DYNAMIC>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x64_r1 = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 1, DYNAMIC>;
using RightB16_64x128 = TileRight<bfloat16_t, 64, 128, DYNAMIC, 128>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using LeftB16_64x64 = TileLeft<bfloat16_t, 64, 64, DYNAMIC, DYNAMIC>;
using AccF32_64x128 = TileAcc<float, 64, 128, DYNAMIC, 128>;
using QNGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using KNGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, 1, 128>, Layout::DN>;
using GammaGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using GammaGm2 = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using PlaceGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using RecalledGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void read_kernel(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *q_n,
    __gm__ bfloat16_t *k_n,
    __gm__ float *gamma,
    __gm__ float *place,
    __gm__ float *recalled,
    __gm__ bfloat16_t *change,
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
                    // p: cast(matmul(q_n[:, :, None, s], turned(k_n[:, :, None, s]), dtype=fp32) * faded * visible, bf16)  [gated_delta_rule.yaml:98]
                    LeftB16_64x128 q_n_tile(s0_valid); TASSIGN(q_n_tile, 0x00000);  // L0A 0x00000..0x04000
                    QNGm q_n_in(q_n + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TLOAD(q_n_tile, q_n_in);
                    RightB16_128x64 k_n_tile(s0_valid); TASSIGN(k_n_tile, 0x00000);  // L0B 0x00000..0x04000
                    KNGm k_n_in(k_n + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TLOAD(k_n_tile, k_n_in);
                    AccF32_64x64 p_4_acc(s0_valid, s0_valid); TASSIGN(p_4_acc, 0x00000);  // L0C 0x00000..0x04000
                    TMATMUL(p_4_acc, q_n_tile, k_n_tile);
                    // faded: exp(minimum(gamma[:, :, :, s, None] - gamma[:, :, :, None, s], 0))  [gated_delta_rule.yaml:96]
                    VecF32_1x64 gamma_tile_row(s0_valid); TASSIGN(gamma_tile_row, 0x00000);  // as a row, same bytes as gamma_tile
                    GammaGm gamma_in(gamma + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid});
                    TLOAD(gamma_tile_row, gamma_in);
                    VecF32_8x64_r1 gamma_tile_2(s0_valid); TASSIGN(gamma_tile_2, 0x00100);  // UB 0x00100..0x00200
                    GammaGm2 gamma_in_2(gamma + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid}, {int64_t(s)});
                    TLOAD(gamma_tile_2, gamma_in_2);
                    // visible: upto(place[s][:, None] - place[s][None, :] + 1)  [gated_delta_rule.yaml:97]
                    VecF32_1x64 place_tile_row(s0_valid); TASSIGN(place_tile_row, 0x00200);  // as a row, same bytes as place_tile
                    GammaGm place_in(place + int64_t(s0), {s0_valid});
                    TLOAD(place_tile_row, place_in);
                    VecF32_1x64 place_tile_2(s0_valid); TASSIGN(place_tile_2, 0x00300);  // UB 0x00300..0x00400
                    PlaceGm place_in_2(place + int64_t(s0), {s0_valid});
                    TLOAD(place_tile_2, place_in_2);
                    // old: recalled[:, :, :, s] * exp(gamma[:, :, :, s, None])  [gated_delta_rule.yaml:99]
                    VecF32_1x64 old_1_row(s0_valid); TASSIGN(old_1_row, 0x00400);  // as a row, same bytes as old_1
                    TEXP(old_1_row, gamma_tile_row);
                    // y: cast(old + matmul(p, change[:, :, :, s], dtype=fp32), bf16)  [gated_delta_rule.yaml:101]
                    RightB16_64x128 change_tile(s0_valid); TASSIGN(change_tile, 0x00000);  // L0B 0x00000..0x04000
                    QNGm change_in(change + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TLOAD(change_tile, change_in);
                    VecF32_64x1 gamma_tile(s0_valid); TASSIGN(gamma_tile, 0x00000);  // UB 0x00000..0x00100
                    VecF32_64x1 place_tile(s0_valid); TASSIGN(place_tile, 0x00200);  // UB 0x00200..0x00300
                    LeftB16_64x64 p_l0a(s0_valid, s0_valid); TASSIGN(p_l0a, 0x00000);  // L0A 0x00000..0x02000
                    TPASS<4>(s0_valid, s0_valid, [&](auto at, auto &p_l0a_rows) {
                        // faded: exp(minimum(gamma[:, :, :, s, None] - gamma[:, :, :, None, s], 0))  [gated_delta_rule.yaml:96]
                        const auto faded_3 = at.column(gamma_tile);
                        const auto faded_3_2 = faded_3 - at.row(gamma_tile_2);
                        const auto faded_4 = at.min(faded_3_2, 0.0f);
                        const auto faded = at.exp(faded_4);
                        // visible: upto(place[s][:, None] - place[s][None, :] + 1)  [gated_delta_rule.yaml:97]
                        const auto visible_3 = at.column(place_tile);
                        const auto visible_3_2 = visible_3 - at.row(place_tile_2);
                        const auto visible_4 = visible_3_2 + 1.0f;
                        // return: clip(x, 0, 1)  [gated_delta_rule.yaml:38]
                        const auto visible_5 = at.max(visible_4, 0.0f);
                        const auto visible = at.min(visible_5, 1.0f);
                        // p: cast(matmul(q_n[:, :, None, s], turned(k_n[:, :, None, s]), dtype=fp32) * faded * visible, bf16)  [gated_delta_rule.yaml:98]
                        const auto p_4 = at.extract(p_4_acc, 0);
                        const auto p_5 = p_4 * faded;
                        const auto p_7 = p_5 * visible;
                        // y: cast(old + matmul(p, change[:, :, :, s], dtype=fp32), bf16)  [gated_delta_rule.yaml:101]
                        p_l0a_rows.take(at, p_7);
                    }, LeftRows(p_l0a));
                    AccF32_64x128 y_1_acc(s0_valid); TASSIGN(y_1_acc, 0x00000);  // L0C 0x00000..0x08000
                    TMATMUL(y_1_acc, p_l0a, change_tile);
                    VecF32_64x1 old_1(s0_valid); TASSIGN(old_1, 0x00400);  // UB 0x00400..0x00500
                    RecalledGm recalled_in(recalled + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    QNGm y_out(y + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TPASS(s0_valid, 128, [&](auto at) {
                        // old: recalled[:, :, :, s] * exp(gamma[:, :, :, s, None])  [gated_delta_rule.yaml:99]
                        const auto recalled_tile = at.load(recalled_in);
                        const auto old = recalled_tile * at.column(old_1);
                        // y: cast(old + matmul(p, change[:, :, :, s], dtype=fp32), bf16)  [gated_delta_rule.yaml:101]
                        const auto y_1 = at.extract(y_1_acc, 0);
                        const auto y_2 = old + y_1;
                        at.store(y_out, y_2);
                    });
                }
            }
        }
    }
}
