// group_vec5: vector kernel of `moe_select_groups` for a2a3. Made by pyptogen; change the spec, not this file.
// stages group; tiles t 1; memory UB 544 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using VecI32_1x8_c4 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 4>;
using VecI32_8x8_r4 = Tile<TileType::Vec, int32_t, 8, 8, BLayout::RowMajor, 4, 8>;
using VecI32_8x1_r4 = Tile<TileType::Vec, int32_t, 8, 1, BLayout::ColMajor, 4, 1>;
using VecU8_8x32_c1_r4 = Tile<TileType::Vec, uint8_t, 8, 32, BLayout::RowMajor, 4, 1>;
using VecF16_8x16_c8_r4 = Tile<TileType::Vec, half, 8, 16, BLayout::RowMajor, 4, 8>;
using VecF16_1x16 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 16>;
using VecF32_8x8_r4 = Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 4, 8>;
using VecF32_8x8_r1 = Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 1, 8>;
using Open1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 1, 1>>;
using GroupGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 4>, Stride<1, 1, 1, 0, 1>>;
using OpenGm = GlobalTensor<float, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 8, 1>>;

AICORE inline void run_block(
    __gm__ float *open,
    __gm__ int32_t *group,
    __gm__ int32_t *open_1,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    // open: sum(cast(one_hot(group, groups), fp32), axis=1)
    VecI32_1x8 open_1_tile; TASSIGN<0x00040>(open_1_tile);  // UB 0x00040..0x00060
    Open1Gm open_1_in(open_1);
    TLOAD(open_1_tile, open_1_in);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = block; t0 < t; t0 += nblk, t0_buffer ^= 1) {
        VecI32_1x8_c4 group_tile_row; TASSIGN(group_tile_row, 0x00000 + t0_buffer * 0x00020);  // as a row, same bytes as group_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        GroupGm group_in(group + int64_t(t0) * 4);
        TLOAD(group_tile_row, group_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecI32_8x8_r4 group_tile_wide; TASSIGN<0x000a0>(group_tile_wide);  // UB 0x000a0..0x00120
        VecI32_8x1_r4 group_tile; TASSIGN(group_tile, 0x00000 + t0_buffer * 0x00020);  // UB 0x00000..0x00040, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TROWEXPAND(group_tile_wide, group_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecI32_8x8_r4 open_1_tile_wide; TASSIGN<0x00120>(open_1_tile_wide);  // UB 0x00120..0x001a0
        TCOLEXPAND(open_1_tile_wide, open_1_tile);
        VecU8_8x32_c1_r4 open_equal_bits; TASSIGN<0x001a0>(open_equal_bits);  // UB 0x001a0..0x00220
        pipe_barrier(PIPE_V);
        TCMP(open_equal_bits, group_tile_wide, open_1_tile_wide, CmpMode::EQ);
        VecF16_8x16_c8_r4 open_equal; TASSIGN<0x000a0>(open_equal);  // UB 0x000a0..0x00120
        pipe_barrier(PIPE_V);
        TEXPANDS(open_equal, 1.0f);
        VecF16_1x16 open_equal_tmp; TASSIGN<0x00120>(open_equal_tmp);  // UB 0x00120..0x00140
        pipe_barrier(PIPE_V);
        TSELS(open_equal, open_equal_bits, open_equal, open_equal_tmp, 0.0f);
        VecI32_8x8_r4 open_3; TASSIGN<0x00120>(open_3);  // UB 0x00120..0x001a0
        pipe_barrier(PIPE_V);
        TCVT(open_3, open_equal, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_8x8_r4 open_4; TASSIGN<0x000a0>(open_4);  // UB 0x000a0..0x00120
        pipe_barrier(PIPE_V);
        TCVT(open_4, open_3, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_8x8_r1 open_5; TASSIGN(open_5, 0x00060 + t0_buffer * 0x00020);  // UB 0x00060..0x000a0, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCOLSUM(open_5, open_4);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        OpenGm open_out(open + int64_t(t0) * 8);
        TSTORE(open_out, open_5);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void group_vec5(
    __gm__ float *open, __gm__ int32_t *group, __gm__ int32_t *open_1, int32_t t, int32_t nblk)
{
    run_block(open, group, open_1, t, nblk, static_cast<int32_t>(get_block_idx()));
}
