// decay: vector kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages decay; tiles b 1, group 1, heads 1, s 64; memory UB 34816 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x64_r1 = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_64x64 = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_64x64m = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, DYNAMIC, 64>;
using PlaceGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using PlaceGm2 = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using GHGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void decay(
    __gm__ float *gamma,
    __gm__ float *place,
    __gm__ float *g_h,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t s0_slot = 0;  // which of 2 buffers this round of s0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 copies are free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 copies are free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 copies are free
    for (int32_t b0 = b_begin; b0 < b_end; ++b0) {
        for (int32_t heads0 = block; heads0 < 16; heads0 += nblk) {
            for (int32_t group0 = 0; group0 < 2; ++group0) {
                for (int32_t s0 = 0; s0 < s; s0 += 64, s0_slot ^= 1) {
                    const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
                    // seen: upto(place[s][:, None] - place[s][None, :] + 1)  [gated_delta_rule.yaml:57]
                    VecF32_1x64 place_tile_row(s0_valid); TASSIGN(place_tile_row, 0x00000 + s0_slot * 0x00100);  // as a row, same bytes as place_tile
                    wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + s0_slot));  // free again
                    PlaceGm place_in(place + int64_t(s0), {s0_valid});
                    TLOAD(place_tile_row, place_in);
                    set_flag(PIPE_MTE2, PIPE_V, event_t(4 + s0_slot));
                    VecF32_1x64 place_tile_2(s0_valid); TASSIGN(place_tile_2, 0x00200 + s0_slot * 0x00100);  // UB 0x00200..0x00400, 2 copies
                    PlaceGm2 place_in_2(place + int64_t(s0), {s0_valid});
                    TLOAD(place_tile_2, place_in_2);
                    set_flag(PIPE_MTE2, PIPE_V, event_t(2 + s0_slot));
                    // gamma: sum(seen * g_h[:, :, :, None, s], axis=-1)  [gated_delta_rule.yaml:59]
                    VecF32_8x64_r1 g_h_tile(s0_valid); TASSIGN(g_h_tile, 0x00400 + s0_slot * 0x00100);  // UB 0x00400..0x00600, 2 copies
                    wait_flag(PIPE_V, PIPE_MTE2, event_t(s0_slot));  // free again
                    GHGm g_h_in(g_h + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid}, {int64_t(s)});
                    TLOAD(g_h_tile, g_h_in);
                    set_flag(PIPE_MTE2, PIPE_V, event_t(s0_slot));
                    // seen: upto(place[s][:, None] - place[s][None, :] + 1)  [gated_delta_rule.yaml:57]
                    VecF32_64x64 seen_3(s0_valid, s0_valid); TASSIGN(seen_3, 0x00800);  // UB 0x00800..0x04800
                    VecF32_64x1 place_tile(s0_valid); TASSIGN(place_tile, 0x00000 + s0_slot * 0x00100);  // UB 0x00000..0x00200, 2 copies
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + s0_slot));
                    TROWEXPAND(seen_3, place_tile);
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + s0_slot));
                    TCOLEXPANDSUB(seen_3, seen_3, place_tile_2);
                    set_flag(PIPE_V, PIPE_MTE2, event_t(2 + s0_slot));
                    pipe_barrier(PIPE_V);
                    TADDS(seen_3, seen_3, 1.0f);
                    // return: clip(x, 0, 1)  [gated_delta_rule.yaml:38]
                    VecF32_64x64 seen(s0_valid, s0_valid); TASSIGN(seen, 0x00800);  // UB 0x00800..0x04800
                    pipe_barrier(PIPE_V);
                    TMAXS(seen, seen_3, 0.0f);
                    pipe_barrier(PIPE_V);
                    TMINS(seen, seen, 1.0f);
                    // gamma: sum(seen * g_h[:, :, :, None, s], axis=-1)  [gated_delta_rule.yaml:59]
                    VecF32_64x64 gamma_3(s0_valid, s0_valid); TASSIGN(gamma_3, 0x00800);  // UB 0x00800..0x04800
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_MTE2, PIPE_V, event_t(s0_slot));
                    TCOLEXPANDMUL(gamma_3, seen, g_h_tile);
                    set_flag(PIPE_V, PIPE_MTE2, event_t(s0_slot));
                    VecF32_64x1 gamma_4(s0_valid); TASSIGN(gamma_4, 0x00600 + s0_slot * 0x00100);  // UB 0x00600..0x00800, 2 copies
                    VecF32_64x64m gamma_4_tmp(s0_valid); TASSIGN(gamma_4_tmp, 0x04800);  // UB 0x04800..0x08800
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_MTE3, PIPE_V, event_t(s0_slot));  // free again
                    TROWSUM(gamma_4, gamma_3, gamma_4_tmp);
                    set_flag(PIPE_V, PIPE_MTE3, event_t(s0_slot));
                    VecF32_1x64 gamma_4_row(s0_valid); TASSIGN(gamma_4_row, 0x00600 + s0_slot * 0x00100);  // as a row, same bytes as gamma_4
                    wait_flag(PIPE_V, PIPE_MTE3, event_t(s0_slot));
                    PlaceGm gamma_out(gamma + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid});
                    TSTORE(gamma_out, gamma_4_row);
                    set_flag(PIPE_MTE3, PIPE_V, event_t(s0_slot));
                }
            }
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last rounds of 2 copies
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last rounds of 2 copies
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // of the last rounds of 2 copies
#endif
}
