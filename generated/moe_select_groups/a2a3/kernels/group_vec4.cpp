// group_vec4: vector kernel of `moe_select_groups` for a2a3. Made by pyptogen; change the spec, not this file.
// stages group; tiles t 128; memory UB 33280 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_128x8 = Tile<TileType::Vec, float, 128, 8, BLayout::RowMajor, DYNAMIC, 8>;
using VecF32_128x8_c1 = Tile<TileType::Vec, float, 128, 8, BLayout::RowMajor, DYNAMIC, 1>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_128x1 = Tile<TileType::Vec, float, 128, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecU8_128x32_c1 = Tile<TileType::Vec, uint8_t, 128, 32, BLayout::RowMajor, DYNAMIC, 1>;
using VecF16_128x16_c8 = Tile<TileType::Vec, half, 128, 16, BLayout::RowMajor, DYNAMIC, 8>;
using VecF16_1x16 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 16>;
using GGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 8>, Stride<1, 1, 1, 8, 1>>;
using WorstGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, 4, 1>>;
using OpenGm = GlobalTensor<half, Shape<1, 1, 1, DYNAMIC, 8>, Stride<1, 1, 1, 8, 1>>;
}  // namespace

extern "C" __global__ AICORE void group_vec4(
    __gm__ half *open,
    __gm__ float *g,
    __gm__ float *worst,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t t0_slot = 0;  // which of 2 buffers this round of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 copies are free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 copies are free
    for (int32_t t0 = t_begin + block * 128; t0 < t_end; t0 += nblk * 128, t0_slot ^= 1) {
        const int32_t t0_valid = t_end - t0 < 128 ? t_end - t0 : 128;
        // open: g >= worst[:, kept - 1:]  [moe_select_groups.yaml:34]
        VecF32_128x8 g_tile(t0_valid); TASSIGN(g_tile, 0x00000 + t0_slot * 0x01000);  // UB 0x00000..0x02000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_slot));  // free again
        GGm g_in(g + int64_t(t0) * 8, {t0_valid});
        TLOAD(g_tile, g_in);
        VecF32_128x8_c1 worst_tile_apart(t0_valid); TASSIGN(worst_tile_apart, 0x04000 + t0_slot * 0x01000);  // UB 0x04000..0x06000, 2 copies
        WorstGm worst_in(worst + int64_t(t0) * 4 + 3, {t0_valid});
        TLOAD(worst_tile_apart, worst_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_slot));
        VecF32_1x128 worst_tile_row(t0_valid); TASSIGN(worst_tile_row, 0x06000);  // as a row, same bytes as worst_tile
        VecF32_128x8_c1 worst_tile_apart_tmp(t0_valid); TASSIGN(worst_tile_apart_tmp, 0x06200);  // UB 0x06200..0x07200
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_slot));
        TTRANS(worst_tile_row, worst_tile_apart, worst_tile_apart_tmp);
        VecF32_128x8 worst_tile_wide(t0_valid); TASSIGN(worst_tile_wide, 0x06200);  // UB 0x06200..0x07200
        VecF32_128x1 worst_tile(t0_valid); TASSIGN(worst_tile, 0x06000);  // UB 0x06000..0x06200
        pipe_barrier(PIPE_V);
        TROWEXPAND(worst_tile_wide, worst_tile);
        VecU8_128x32_c1 open_tile_bits(t0_valid); TASSIGN(open_tile_bits, 0x07200);  // UB 0x07200..0x08200
        pipe_barrier(PIPE_V);
        TCMP(open_tile_bits, g_tile, worst_tile_wide, CmpMode::GE);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_slot));
        VecF16_128x16_c8 open_tile(t0_valid); TASSIGN(open_tile, 0x02000 + t0_slot * 0x01000);  // UB 0x02000..0x04000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_slot));  // free again
        TEXPANDS(open_tile, 1.0f);
        VecF16_1x16 open_tile_tmp; TASSIGN(open_tile_tmp, 0x06000);  // UB 0x06000..0x06020
        pipe_barrier(PIPE_V);
        TSELS(open_tile, open_tile_bits, open_tile, open_tile_tmp, 0.0f);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_slot));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_slot));
        OpenGm open_out(open + int64_t(t0) * 8, {t0_valid});
        TSTORE(open_out, open_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_slot));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last rounds of 2 copies
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last rounds of 2 copies
#endif
}
