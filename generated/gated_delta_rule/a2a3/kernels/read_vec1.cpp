// read_vec1: vector kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages read; tiles b 1, group 1, heads 1, s 64; memory UB 149504 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x64_r1 = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_64x64 = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecB16_64x64 = Tile<TileType::Vec, bfloat16_t, 64, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using GammaGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using GammaGm2 = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using PlaceGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using P4Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 64, 1>>;
using RecalledGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using PGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 64, 1>>;
}  // namespace

extern "C" __global__ AICORE void read_vec1(
    __gm__ bfloat16_t *p,
    __gm__ float *old,
    __gm__ float *gamma,
    __gm__ float *place,
    __gm__ float *p_4,
    __gm__ float *recalled,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t s0_slot = 0;  // which of 2 buffers this round of s0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 copies are free
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 2 copies are free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 copies are free
    for (int32_t b0 = b_begin; b0 < b_end; ++b0) {
        for (int32_t heads0 = block; heads0 < 16; heads0 += nblk) {
            for (int32_t group0 = 0; group0 < 2; ++group0) {
                for (int32_t s0 = 0; s0 < s; s0 += 64, s0_slot ^= 1) {
                    const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
                    // faded: exp(minimum(gamma[:, :, :, s, None] - gamma[:, :, :, None, s], 0))  [gated_delta_rule.yaml:96]
                    VecF32_1x64 gamma_tile_row(s0_valid); TASSIGN(gamma_tile_row, 0x00000 + s0_slot * 0x00100);  // as a row, same bytes as gamma_tile
                    wait_flag(PIPE_V, PIPE_MTE2, event_t(s0_slot));  // free again
                    GammaGm gamma_in(gamma + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid});
                    TLOAD(gamma_tile_row, gamma_in);
                    VecF32_8x64_r1 gamma_tile_2(s0_valid); TASSIGN(gamma_tile_2, 0x00200 + s0_slot * 0x00100);  // UB 0x00200..0x00400, 2 copies
                    GammaGm2 gamma_in_2(gamma + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid}, {int64_t(s)});
                    TLOAD(gamma_tile_2, gamma_in_2);
                    set_flag(PIPE_MTE2, PIPE_V, event_t(6 + s0_slot));
                    // visible: upto(place[s][:, None] - place[s][None, :] + 1)  [gated_delta_rule.yaml:97]
                    VecF32_1x64 place_tile_row(s0_valid); TASSIGN(place_tile_row, 0x00400 + s0_slot * 0x00100);  // as a row, same bytes as place_tile
                    GammaGm place_in(place + int64_t(s0), {s0_valid});
                    TLOAD(place_tile_row, place_in);
                    VecF32_1x64 place_tile_2(s0_valid); TASSIGN(place_tile_2, 0x00600 + s0_slot * 0x00100);  // UB 0x00600..0x00800, 2 copies
                    PlaceGm place_in_2(place + int64_t(s0), {s0_valid});
                    TLOAD(place_tile_2, place_in_2);
                    set_flag(PIPE_MTE2, PIPE_V, event_t(4 + s0_slot));
                    // p: cast(matmul(q_n[:, :, None, s], turned(k_n[:, :, None, s]), dtype=fp32) * faded * visible, bf16)  [gated_delta_rule.yaml:98]
                    VecF32_64x64 p_4_tile(s0_valid, s0_valid); TASSIGN(p_4_tile, 0x00800 + s0_slot * 0x04000);  // UB 0x00800..0x08800, 2 copies
                    P4Gm p_4_in(p_4 + int64_t(b0) * s * 1024 + int64_t(heads0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
                    TLOAD(p_4_tile, p_4_in);
                    set_flag(PIPE_MTE2, PIPE_V, event_t(2 + s0_slot));
                    // old: recalled[:, :, :, s] * exp(gamma[:, :, :, s, None])  [gated_delta_rule.yaml:99]
                    VecF32_64x128 recalled_tile(s0_valid); TASSIGN(recalled_tile, 0x0c800 + s0_slot * 0x08000);  // UB 0x0c800..0x1c800, 2 copies
                    wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(s0_slot));  // free again
                    RecalledGm recalled_in(recalled + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TLOAD(recalled_tile, recalled_in);
                    set_flag(PIPE_MTE2, PIPE_V, event_t(s0_slot));
                    // faded: exp(minimum(gamma[:, :, :, s, None] - gamma[:, :, :, None, s], 0))  [gated_delta_rule.yaml:96]
                    VecF32_64x64 faded(s0_valid, s0_valid); TASSIGN(faded, 0x1c800);  // UB 0x1c800..0x20800
                    VecF32_64x1 gamma_tile(s0_valid); TASSIGN(gamma_tile, 0x00000 + s0_slot * 0x00100);  // UB 0x00000..0x00200, 2 copies
                    wait_flag(PIPE_MTE2, PIPE_V, event_t(6 + s0_slot));
                    TROWEXPAND(faded, gamma_tile);
                    pipe_barrier(PIPE_V);
                    TCOLEXPANDSUB(faded, faded, gamma_tile_2);
                    pipe_barrier(PIPE_V);
                    TMINS(faded, faded, 0.0f);
                    pipe_barrier(PIPE_V);
                    TEXP(faded, faded);
                    // visible: upto(place[s][:, None] - place[s][None, :] + 1)  [gated_delta_rule.yaml:97]
                    VecF32_64x64 visible_3(s0_valid, s0_valid); TASSIGN(visible_3, 0x20800);  // UB 0x20800..0x24800
                    VecF32_64x1 place_tile(s0_valid); TASSIGN(place_tile, 0x00400 + s0_slot * 0x00100);  // UB 0x00400..0x00600, 2 copies
                    wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + s0_slot));
                    TROWEXPAND(visible_3, place_tile);
                    pipe_barrier(PIPE_V);
                    TCOLEXPANDSUB(visible_3, visible_3, place_tile_2);
                    pipe_barrier(PIPE_V);
                    TADDS(visible_3, visible_3, 1.0f);
                    // return: clip(x, 0, 1)  [gated_delta_rule.yaml:38]
                    VecF32_64x64 visible(s0_valid, s0_valid); TASSIGN(visible, 0x20800);  // UB 0x20800..0x24800
                    pipe_barrier(PIPE_V);
                    TMAXS(visible, visible_3, 0.0f);
                    pipe_barrier(PIPE_V);
                    TMINS(visible, visible, 1.0f);
                    // p: cast(matmul(q_n[:, :, None, s], turned(k_n[:, :, None, s]), dtype=fp32) * faded * visible, bf16)  [gated_delta_rule.yaml:98]
                    VecF32_64x64 p_5(s0_valid, s0_valid); TASSIGN(p_5, 0x1c800);  // UB 0x1c800..0x20800
                    wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + s0_slot));
                    TMUL(p_5, p_4_tile, faded);
                    pipe_barrier(PIPE_V);
                    TMUL(p_5, p_5, visible);
                    VecB16_64x64 p_tile(s0_valid, s0_valid); TASSIGN(p_tile, 0x08800 + s0_slot * 0x02000);  // UB 0x08800..0x0c800, 2 copies
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_MTE3, PIPE_V, event_t(s0_slot));  // free again
                    TCVT(p_tile, p_5, RoundMode::CAST_RINT);
                    set_flag(PIPE_V, PIPE_MTE3, event_t(2 + s0_slot));
                    wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + s0_slot));
                    PGm p_out(p + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
                    TSTORE(p_out, p_tile);
                    set_flag(PIPE_MTE3, PIPE_V, event_t(s0_slot));
                    // old: recalled[:, :, :, s] * exp(gamma[:, :, :, s, None])  [gated_delta_rule.yaml:99]
                    VecF32_1x64 old_1_row(s0_valid); TASSIGN(old_1_row, 0x00000 + s0_slot * 0x00100);  // as a row, same bytes as old_1
                    TEXP(old_1_row, gamma_tile_row);
                    VecF32_64x128 old_tile(s0_valid); TASSIGN(old_tile, 0x0c800 + s0_slot * 0x08000);  // UB 0x0c800..0x1c800, 2 copies
                    VecF32_64x1 old_1(s0_valid); TASSIGN(old_1, 0x00000 + s0_slot * 0x00100);  // UB 0x00000..0x00200, 2 copies
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_MTE2, PIPE_V, event_t(s0_slot));
                    TROWEXPANDMUL(old_tile, recalled_tile, old_1);
                    set_flag(PIPE_V, PIPE_MTE3, event_t(s0_slot));
                    set_flag(PIPE_V, PIPE_MTE2, event_t(s0_slot));
                    wait_flag(PIPE_V, PIPE_MTE3, event_t(s0_slot));
                    RecalledGm old_out(old + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TSTORE(old_out, old_tile);
                    set_flag(PIPE_MTE3, PIPE_MTE2, event_t(s0_slot));
                }
            }
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last rounds of 2 copies
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // of the last rounds of 2 copies
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last rounds of 2 copies
#endif
}
