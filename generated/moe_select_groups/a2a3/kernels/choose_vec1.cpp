// choose_vec1: vector kernel of `moe_select_groups` for a2a3. Made by pyptogen; change the spec, not this file.
// stages choose; tiles t 32; memory UB 158240 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x256 = Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_256x32 = Tile<TileType::Vec, float, 256, 32, BLayout::RowMajor, DYNAMIC, 32>;
using VecU8_1x32 = Tile<TileType::Vec, uint8_t, 1, 32, BLayout::RowMajor, 1, 32>;
using VecF16_1x256 = Tile<TileType::Vec, half, 1, 256, BLayout::RowMajor, 1, DYNAMIC>;
using VecF16_1x256m = Tile<TileType::Vec, half, 1, 256, BLayout::RowMajor, 1, 256>;
using VecF16_256x32 = Tile<TileType::Vec, half, 256, 32, BLayout::RowMajor, DYNAMIC, 32>;
using VecF16_256x1 = Tile<TileType::Vec, half, 256, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecU8_256x32_c4 = Tile<TileType::Vec, uint8_t, 256, 32, BLayout::RowMajor, DYNAMIC, 4>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32>;
using OpenGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using CGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 32>, Stride<1, 1, 1, 32, 1>>;

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
    for (int32_t t0 = t_begin + block * 32; t0 < t_end; t0 += nblk * 32, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        // masked: reshape(where(open[:, :, None] > 0, c, -inf), [t, experts])
        VecF32_1x256 open_tile_row(t0_valid * 8); TASSIGN(open_tile_row, 0x00000 + t0_buffer * 0x00400);  // as a row, same bytes as open_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_buffer));  // free again
        OpenGm open_in(open + int64_t(t0) * 8, {t0_valid * 8});
        TLOAD(open_tile_row, open_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        VecF32_256x32 c_tile(t0_valid * 8); TASSIGN(c_tile, 0x00800 + t0_buffer * 0x08000);  // UB 0x00800..0x10800, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        CGm c_in(c + int64_t(t0) * 256, {t0_valid * 8});
        TLOAD(c_tile, c_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecU8_1x32 masked_2_bits; TASSIGN<0x20800>(masked_2_bits);  // UB 0x20800..0x20820
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        TCMPS(masked_2_bits, open_tile_row, 0.0f, CmpMode::GT);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_buffer));
        VecF16_1x256 masked_2_row(t0_valid * 8); TASSIGN<0x20820>(masked_2_row);  // as a row, same bytes as masked_2
        TEXPANDS(masked_2_row, 1.0f);
        VecF16_1x256m masked_2_tmp; TASSIGN<0x20a20>(masked_2_tmp);  // UB 0x20a20..0x20c20
        pipe_barrier(PIPE_V);
        TSELS(masked_2_row, masked_2_bits, masked_2_row, masked_2_tmp, 0.0f);
        VecF16_256x32 masked_2_wide_ones(t0_valid * 8); TASSIGN<0x20a20>(masked_2_wide_ones);  // UB 0x20a20..0x24a20
        pipe_barrier(PIPE_V);
        TEXPANDS(masked_2_wide_ones, 1.0f);
        VecF16_256x32 masked_2_wide(t0_valid * 8); TASSIGN<0x20a20>(masked_2_wide);  // UB 0x20a20..0x24a20
        VecF16_256x1 masked_2(t0_valid * 8); TASSIGN<0x20820>(masked_2);  // UB 0x20820..0x20a20
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(masked_2_wide, masked_2_wide_ones, masked_2);
        VecU8_256x32_c4 masked_3_bits(t0_valid * 8); TASSIGN<0x24a20>(masked_3_bits);  // UB 0x24a20..0x26a20
        pipe_barrier(PIPE_V);
        TCMPS(masked_3_bits, masked_2_wide, 0.0f, CmpMode::NE);
        VecF32_256x32 masked_3(t0_valid * 8); TASSIGN(masked_3, 0x10800 + t0_buffer * 0x08000);  // UB 0x10800..0x20800, 2 copies
        VecF32_1x32 masked_3_tmp; TASSIGN<0x20800>(masked_3_tmp);  // UB 0x20800..0x20880
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TSELS(masked_3, masked_3_bits, c_tile, masked_3_tmp, -__builtin_inff());
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        CGm masked_out(masked + int64_t(t0) * 256, {t0_valid * 8});
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
