// choose_vec1: vector kernel of `moe_select_groups` for a2a3. Made by pyptogen; change the spec, not this file.
// stages choose; tiles t 1; memory UB 4928 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF16_1x16_c8 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 8>;
using VecF32_16x32_r8 = Tile<TileType::Vec, float, 16, 32, BLayout::RowMajor, 8, 32>;
using VecF16_16x32_r8 = Tile<TileType::Vec, half, 16, 32, BLayout::RowMajor, 8, 32>;
using VecF16_16x1_r8 = Tile<TileType::Vec, half, 16, 1, BLayout::ColMajor, 8, 1>;
using VecU8_16x32_c4_r8 = Tile<TileType::Vec, uint8_t, 16, 32, BLayout::RowMajor, 8, 4>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 8>;
using OpenGm = GlobalTensor<half, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 0, 1>>;
using C1Gm = GlobalTensor<float, Shape<1, 1, 1, 8, 32>, Stride<1, 1, 1, 32, 1>>;
}  // namespace

extern "C" __global__ AICORE void choose_vec1(
    __gm__ float *masked_2,
    __gm__ half *open,
    __gm__ float *c_1,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t t0_slot = 0;  // which of 2 buffers this round of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // copy 1 is free
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk, t0_slot ^= 1) {
        // masked: reshape(where(open[:, :, None], c, -inf), [t, experts])  [moe_select_groups.yaml:36]
        VecF16_1x16_c8 masked_1_row; TASSIGN(masked_1_row, 0x00000 + t0_slot * 0x00020);  // as a row, same bytes as masked_1
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_slot));  // free again
        OpenGm open_in(open + int64_t(t0) * 8);
        TLOAD(masked_1_row, open_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_slot));
        VecF32_16x32_r8 c; TASSIGN(c, 0x00040 + t0_slot * 0x00400);  // UB 0x00040..0x00840, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_slot));  // free again
        C1Gm c_1_in(c_1 + int64_t(t0) * 256);
        TLOAD(c, c_1_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_slot));
        VecF16_16x32_r8 masked_1_wide; TASSIGN(masked_1_wide, 0x01040);  // UB 0x01040..0x01240
        VecF16_16x1_r8 masked_1; TASSIGN(masked_1, 0x00000 + t0_slot * 0x00020);  // UB 0x00000..0x00040, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_slot));
        TROWEXPAND(masked_1_wide, masked_1);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_slot));
        VecU8_16x32_c4_r8 masked_2_tile_bits; TASSIGN(masked_2_tile_bits, 0x01240);  // UB 0x01240..0x01340
        pipe_barrier(PIPE_V);
        TCMPS(masked_2_tile_bits, masked_1_wide, 0.0f, CmpMode::NE);
        VecF32_16x32_r8 masked_2_tile; TASSIGN(masked_2_tile, 0x00840 + t0_slot * 0x00400);  // UB 0x00840..0x01040, 2 copies
        VecF32_1x8 masked_2_tile_tmp; TASSIGN(masked_2_tile_tmp, 0x01040);  // UB 0x01040..0x01060
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_slot));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_slot));  // free again
        TSELS(masked_2_tile, masked_2_tile_bits, c, masked_2_tile_tmp, -__builtin_inff());
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_slot));
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_slot));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_slot));
        C1Gm masked_2_out(masked_2 + int64_t(t0) * 256);
        TSTORE(masked_2_out, masked_2_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_slot));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // of the last round of copy 1
#endif
}
