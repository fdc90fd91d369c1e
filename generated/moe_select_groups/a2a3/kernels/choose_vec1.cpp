// choose_vec1: vector kernel of `moe_select_groups` for a2a3. Made by pyptogen; change the spec, not this file.
// stages choose; tiles t 1; memory UB 4992 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x16_c8 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 8>;
using VecF32_16x32_r8 = Tile<TileType::Vec, float, 16, 32, BLayout::RowMajor, 8, 32>;
using VecU8_1x32_c1 = Tile<TileType::Vec, uint8_t, 1, 32, BLayout::RowMajor, 1, 1>;
using VecF16_1x16_c8 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 8>;
using VecF16_1x16 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 16>;
using VecF16_16x32_r8 = Tile<TileType::Vec, half, 16, 32, BLayout::RowMajor, 8, 32>;
using VecF16_16x1_r8 = Tile<TileType::Vec, half, 16, 1, BLayout::ColMajor, 8, 1>;
using VecU8_16x32_c4_r8 = Tile<TileType::Vec, uint8_t, 16, 32, BLayout::RowMajor, 8, 4>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32>;
using OpenGm = GlobalTensor<float, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 0, 1>>;
using CGm = GlobalTensor<float, Shape<1, 1, 1, 8, 32>, Stride<1, 1, 1, 32, 1>>;

AICORE inline void run_block(
    __gm__ float *masked,
    __gm__ float *open,
    __gm__ float *c,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk, t0_buffer ^= 1) {
        // masked: reshape(where(open[:, :, None] > 0, c, -inf), [t, experts])
        VecF32_1x16_c8 open_tile_row; TASSIGN(open_tile_row, 0x00000 + t0_buffer * 0x00020);  // as a row, same bytes as open_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_buffer));  // free again
        OpenGm open_in(open + int64_t(t0) * 8);
        TLOAD(open_tile_row, open_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        VecF32_16x32_r8 c_tile; TASSIGN(c_tile, 0x00040 + t0_buffer * 0x00400);  // UB 0x00040..0x00840, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        CGm c_in(c + int64_t(t0) * 256);
        TLOAD(c_tile, c_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecU8_1x32_c1 masked_2_bits; TASSIGN<0x01040>(masked_2_bits);  // UB 0x01040..0x01060
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        TCMPS(masked_2_bits, open_tile_row, 0.0f, CmpMode::GT);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_buffer));
        VecF16_1x16_c8 masked_2_row; TASSIGN<0x01060>(masked_2_row);  // as a row, same bytes as masked_2
        TEXPANDS(masked_2_row, 1.0f);
        VecF16_1x16 masked_2_tmp; TASSIGN<0x01080>(masked_2_tmp);  // UB 0x01080..0x010a0
        pipe_barrier(PIPE_V);
        TSELS(masked_2_row, masked_2_bits, masked_2_row, masked_2_tmp, 0.0f);
        VecF16_16x32_r8 masked_2_wide; TASSIGN<0x01080>(masked_2_wide);  // UB 0x01080..0x01280
        VecF16_16x1_r8 masked_2; TASSIGN<0x01060>(masked_2);  // UB 0x01060..0x01080
        pipe_barrier(PIPE_V);
        TROWEXPAND(masked_2_wide, masked_2);
        VecU8_16x32_c4_r8 masked_3_bits; TASSIGN<0x01280>(masked_3_bits);  // UB 0x01280..0x01380
        pipe_barrier(PIPE_V);
        TCMPS(masked_3_bits, masked_2_wide, 0.0f, CmpMode::NE);
        VecF32_16x32_r8 masked_3; TASSIGN(masked_3, 0x00840 + t0_buffer * 0x00400);  // UB 0x00840..0x01040, 2 copies
        VecF32_1x32 masked_3_tmp; TASSIGN<0x01040>(masked_3_tmp);  // UB 0x01040..0x010c0
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TSELS(masked_3, masked_3_bits, c_tile, masked_3_tmp, -__builtin_inff());
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        CGm masked_out(masked + int64_t(t0) * 256);
        TSTORE(masked_out, masked_3);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void choose_vec1(
    __gm__ float *masked, __gm__ float *open, __gm__ float *c, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(masked, open, c, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
