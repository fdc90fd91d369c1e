// rule_mixed2: mixed kernel of `gated_delta_rule` for cpu. Made by pyptogen; change the spec, not this file.
// stages rule; tiles b 1, group 1, heads 1, s 64; memory L0A 16384 B, L0B 32768 B, L0C 65536 B, UB 99200 B
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
using OGammaBlockGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using OWBlockGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using OGGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using QNGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 2048, 1>>;
using ORecalledBlockGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using KNGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, 1, 2048>, Layout::DN>;
}  // namespace

extern "C" __global__ AICORE void rule_mixed2(
    __gm__ float *o_recalled_block,
    __gm__ bfloat16_t *o_change_block,
    __gm__ float *state_end,
    __gm__ float *state_t,
    __gm__ float *o_g,
    __gm__ float *o_gamma_block,
    __gm__ bfloat16_t *o_w_block,
    __gm__ bfloat16_t *q_n,
    __gm__ float *o_u_block,
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
                VecF32_128x128 o_state; TASSIGN(o_state, 0x00000);  // UB 0x00000..0x10000
                StateTGm state_t_in(state_t + int64_t(b0) * 524288 + int64_t(heads0) * 32768 + int64_t(group0) * 16384);
                TPASS(128, 128, [&](auto at) {
                    // o, state_end: gated_delta_rule(q_n, k_n, v, g, beta, state_t, scale=1)
                    const auto state_t_tile = at.load(state_t_in);
                    at.store(o_state, state_t_tile);
                });
                for (int32_t s0 = 0; s0 < s; s0 += 64) {
                    const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
                    VecF32_1x64 o_gamma_block_tile_row(s0_valid); TASSIGN(o_gamma_block_tile_row, 0x10000);  // as a row, same bytes as o_gamma_block_tile
                    OGammaBlockGm o_gamma_block_in(o_gamma_block + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid});
                    TLOAD(o_gamma_block_tile_row, o_gamma_block_in);
                    LeftB16_64x128 o_w_block_tile(s0_valid); TASSIGN(o_w_block_tile, 0x00000);  // L0A 0x00000..0x04000
                    OWBlockGm o_w_block_in(o_w_block + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TLOAD(o_w_block_tile, o_w_block_in);
                    VecF32_8x1_r1 o_gamma_end; TASSIGN(o_gamma_end, 0x10100);  // UB 0x10100..0x10120
                    OGGm o_g_in(o_g + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid}, {int64_t(s)});
                    TPASS(1, s0_valid, [&](auto at, auto &o_gamma_end_sum) {
                        const auto o_g_tile = at.load(o_g_in);
                        const auto o_g_least_2 = at.max(o_g_tile, -104.0f);
                        o_gamma_end_sum.take(at, o_g_least_2);
                    }, RowSum(o_gamma_end));
                    VecF32_1x64 o_gamma_end_wide_row(s0_valid); TASSIGN(o_gamma_end_wide_row, 0x10140);  // as a row, same bytes as o_gamma_end_wide
                    TROWEXPAND(o_gamma_end_wide_row, o_gamma_end);
                    VecF32_1x64 o_to_end_row(s0_valid); TASSIGN(o_to_end_row, 0x10240);  // as a row, same bytes as o_to_end
                    TSUB(o_to_end_row, o_gamma_end_wide_row, o_gamma_block_tile_row);
                    VecF32_1x64 o_kept_row(s0_valid); TASSIGN(o_kept_row, 0x10000);  // as a row, same bytes as o_kept
                    TEXP(o_kept_row, o_to_end_row);
                    VecF32_1x8_c1 o_left_2_row; TASSIGN(o_left_2_row, 0x10140);  // as a row, same bytes as o_left_2
                    VecF32_1x8_c1 o_gamma_end_row; TASSIGN(o_gamma_end_row, 0x10100);  // as a row, same bytes as o_gamma_end
                    TEXP(o_left_2_row, o_gamma_end_row);
                    VecF32_1x128 o_left_2_wide; TASSIGN(o_left_2_wide, 0x10180);  // UB 0x10180..0x10380
                    VecF32_8x1_r1 o_left_2; TASSIGN(o_left_2, 0x10140);  // UB 0x10140..0x10160
                    TROWEXPAND(o_left_2_wide, o_left_2);
                    VecB16_128x128 o_state_low; TASSIGN(o_state_low, 0x10380);  // UB 0x10380..0x18380
                    TPASS(128, 128, [&](auto at) {
                        const auto o_state_v = at.load(o_state);
                        at.store(o_state_low, o_state_v);
                        const auto o_state_v_2 = o_state_v * at.row(o_left_2_wide);
                        at.store(o_state, o_state_v_2);
                    });
                    RightB16_128x128 o_state_low_l0b; TASSIGN(o_state_low_l0b, 0x00000);  // L0B 0x00000..0x08000
                    TMOV(o_state_low_l0b, o_state_low);
                    AccF32_64x128 o_known_acc(s0_valid); TASSIGN(o_known_acc, 0x00000);  // L0C 0x00000..0x08000
                    TMATMUL(o_known_acc, o_w_block_tile, o_state_low_l0b);
                    LeftB16_64x128 q_n_tile(s0_valid); TASSIGN(q_n_tile, 0x00000);  // L0A 0x00000..0x04000
                    QNGm q_n_in(q_n + int64_t(b0) * s * 2048 + int64_t(s0) * 2048 + int64_t(heads0) * 128, {s0_valid});
                    TLOAD(q_n_tile, q_n_in);
                    RightB16_128x128 o_state_low_l0b_2; TASSIGN(o_state_low_l0b_2, 0x00000);  // L0B 0x00000..0x08000
                    TMOV(o_state_low_l0b_2, o_state_low);
                    AccF32_64x128 o_recalled_block_acc(s0_valid); TASSIGN(o_recalled_block_acc, 0x08000);  // L0C 0x08000..0x10000
                    TMATMUL(o_recalled_block_acc, q_n_tile, o_state_low_l0b_2);
                    ORecalledBlockGm o_recalled_block_out(o_recalled_block + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TSTORE(o_recalled_block_out, o_recalled_block_acc);
                    LeftB16_128x64 k_n_tile(s0_valid); TASSIGN(k_n_tile, 0x00000);  // L0A 0x00000..0x04000
                    KNGm k_n_in(k_n + int64_t(b0) * s * 2048 + int64_t(s0) * 2048 + int64_t(heads0) * 128, {s0_valid});
                    TLOAD(k_n_tile, k_n_in);
                    VecF32_64x1 o_kept(s0_valid); TASSIGN(o_kept, 0x10000);  // UB 0x10000..0x10100
                    VecB16_64x128 o_lasting_low(s0_valid); TASSIGN(o_lasting_low, 0x10100);  // UB 0x10100..0x14100
                    ORecalledBlockGm o_u_block_in(o_u_block + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    OWBlockGm o_change_block_out(o_change_block + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TPASS(s0_valid, 128, [&](auto at) {
                        const auto o_u_block_tile = at.load(o_u_block_in);
                        const auto o_known = at.extract(o_known_acc, 0);
                        const auto o_change_2 = o_u_block_tile - o_known;
                        const auto o_lasting = o_change_2 * at.column(o_kept);
                        at.store(o_lasting_low, o_lasting);
                        at.store(o_change_block_out, o_change_2);
                    });
                    RightB16_64x128 o_lasting_low_l0b(s0_valid); TASSIGN(o_lasting_low_l0b, 0x00000);  // L0B 0x00000..0x04000
                    TMOV(o_lasting_low_l0b, o_lasting_low);
                    AccF32_128x128 o_added_acc; TASSIGN(o_added_acc, 0x00000);  // L0C 0x00000..0x10000
                    TMATMUL(o_added_acc, k_n_tile, o_lasting_low_l0b);
                    TPASS(128, 128, [&](auto at) {
                        const auto o_added = at.extract(o_added_acc, 0);
                        const auto o_state_v = at.load(o_state);
                        const auto o_state_v_2 = o_state_v + o_added;
                        at.store(o_state, o_state_v_2);
                    });
                }
                StateTGm state_end_out(state_end + int64_t(b0) * 524288 + int64_t(heads0) * 32768 + int64_t(group0) * 16384);
                TSTORE(state_end_out, o_state);
            }
        }
    }
}
