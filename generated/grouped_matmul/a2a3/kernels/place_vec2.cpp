// place_vec2: vector kernel of `grouped_matmul` for a2a3. Made by pyptogen; change the spec, not this file.
// stages place; tiles t 2; memory UB 512 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x16 = Tile<TileType::Vec, int32_t, 1, 16, BLayout::RowMajor, 1, 16>;
using VecI32_1x8_c2 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 2>;
using VecI32_8x16_r2 = Tile<TileType::Vec, int32_t, 8, 16, BLayout::RowMajor, 2, 16>;
using VecI32_8x1_r2 = Tile<TileType::Vec, int32_t, 8, 1, BLayout::ColMajor, 2, 1>;
using VecU8_8x32_c2_r2 = Tile<TileType::Vec, uint8_t, 8, 32, BLayout::RowMajor, 2, 2>;
using VecF16_8x16_r2 = Tile<TileType::Vec, half, 8, 16, BLayout::RowMajor, 2, 16>;
using VecF16_1x16 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 16>;
using EndGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 1, 1>>;
using Past1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 2>, Stride<1, 1, 1, 0, 1>>;
}  // namespace

extern "C" __global__ AICORE void place_vec2(
    __gm__ int32_t *owner,
    __gm__ int32_t *past_1,
    __gm__ int32_t *end,
    int32_t full,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t t0_slot = 0;  // which of 2 buffers this round of t0 uses
    // past:  sum(cast(reshape(arange(t), [t, 1]) >= end, int32), axis=-1, keepdim=true)  [grouped_matmul.yaml:42]
    VecI32_1x16 end_tile; TASSIGN(end_tile, 0x00040);  // UB 0x00040..0x00080
    EndGm end_in(end);
    TLOAD(end_tile, end_in);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // copy 1 is free
    for (int32_t t0 = block * 2; t0 < full * 32; t0 += nblk * 2, t0_slot ^= 1) {
        VecI32_1x8_c2 past_1_tile_row; TASSIGN(past_1_tile_row, 0x00000 + t0_slot * 0x00020);  // as a row, same bytes as past_1_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_slot));  // free again
        Past1Gm past_1_in(past_1 + int64_t(t0));
        TLOAD(past_1_tile_row, past_1_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_slot));
        VecI32_8x16_r2 past_3_larger; TASSIGN(past_3_larger, 0x000c0);  // UB 0x000c0..0x00140
        VecI32_8x1_r2 past_1_tile; TASSIGN(past_1_tile, 0x00000 + t0_slot * 0x00020);  // UB 0x00000..0x00040, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_slot));
        TROWEXPAND(past_3_larger, past_1_tile);
        pipe_barrier(PIPE_V);
        TCOLEXPANDMAX(past_3_larger, past_3_larger, end_tile);
        VecI32_8x16_r2 past_1_tile_wide; TASSIGN(past_1_tile_wide, 0x00140);  // UB 0x00140..0x001c0
        TROWEXPAND(past_1_tile_wide, past_1_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_slot));
        VecU8_8x32_c2_r2 past_3_bits; TASSIGN(past_3_bits, 0x001c0);  // UB 0x001c0..0x00200
        pipe_barrier(PIPE_V);
        TCMP(past_3_bits, past_3_larger, past_1_tile_wide, CmpMode::EQ);
        VecF16_8x16_r2 past_3; TASSIGN(past_3, 0x000c0);  // UB 0x000c0..0x00100
        pipe_barrier(PIPE_V);
        TEXPANDS(past_3, 1.0f);
        VecF16_1x16 past_3_tmp; TASSIGN(past_3_tmp, 0x00100);  // UB 0x00100..0x00120
        pipe_barrier(PIPE_V);
        TSELS(past_3, past_3_bits, past_3, past_3_tmp, 0.0f);
        VecI32_8x16_r2 past_4; TASSIGN(past_4, 0x00100);  // UB 0x00100..0x00180
        pipe_barrier(PIPE_V);
        TCVT(past_4, past_3, RoundMode::CAST_RINT);
        VecI32_8x1_r2 past; TASSIGN(past, 0x000c0);  // UB 0x000c0..0x000e0
        VecI32_8x16_r2 past_tmp; TASSIGN(past_tmp, 0x00180);  // UB 0x00180..0x00200
        pipe_barrier(PIPE_V);
        TROWSUM(past, past_4, past_tmp);
        // owner: reshape(minimum(past, groups - 1), [t])  [grouped_matmul.yaml:43]
        VecI32_1x8_c2 owner_1_row; TASSIGN(owner_1_row, 0x00080 + t0_slot * 0x00020);  // as a row, same bytes as owner_1
        VecI32_1x8_c2 past_row; TASSIGN(past_row, 0x000c0);  // as a row, same bytes as past
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_slot));  // free again
        TMINS(owner_1_row, past_row, 15);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_slot));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_slot));
        Past1Gm owner_out(owner + int64_t(t0));
        TSTORE(owner_out, owner_1_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_slot));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round of copy 1
#endif
}
