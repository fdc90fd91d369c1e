// rank_vec2: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rank; tiles t 1; memory UB 12928 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using VecI32_8x64 = Tile<TileType::Vec, int32_t, 8, 64, BLayout::RowMajor, 8, 64>;
using VecI32_8x1 = Tile<TileType::Vec, int32_t, 8, 1, BLayout::ColMajor, 8, 1>;
using VecU8_8x32_c8 = Tile<TileType::Vec, uint8_t, 8, 32, BLayout::RowMajor, 8, 8>;
using VecF16_8x64 = Tile<TileType::Vec, half, 8, 64, BLayout::RowMajor, 8, 64>;
using VecF16_1x64 = Tile<TileType::Vec, half, 1, 64, BLayout::RowMajor, 1, 64>;
using Chosen1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;
using ExpertGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 0, 1>>;
using ChosenGm = GlobalTensor<int32_t, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, 64, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *chosen,
    __gm__ int32_t *expert,
    __gm__ int32_t *chosen_1,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 4 buffers this iteration of t0 uses
    // chosen: one_hot(expert, experts)
    VecI32_1x64 chosen_1_tile; TASSIGN<0x00080>(chosen_1_tile);  // UB 0x00080..0x00180
    Chosen1Gm chosen_1_in(chosen_1);
    TLOAD(chosen_1_tile, chosen_1_in);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk, t0_buffer = (t0_buffer + 1) % 4) {
        VecI32_1x8 expert_tile_row; TASSIGN(expert_tile_row, 0x00000 + t0_buffer * 0x00020);  // as a row, same bytes as expert_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        ExpertGm expert_in(expert + int64_t(t0) * 8);
        TLOAD(expert_tile_row, expert_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecI32_8x64 expert_tile_wide; TASSIGN<0x02180>(expert_tile_wide);  // UB 0x02180..0x02980
        VecI32_8x1 expert_tile; TASSIGN(expert_tile, 0x00000 + t0_buffer * 0x00020);  // UB 0x00000..0x00080, 4 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TROWEXPAND(expert_tile_wide, expert_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecI32_8x64 chosen_1_tile_wide; TASSIGN<0x02980>(chosen_1_tile_wide);  // UB 0x02980..0x03180
        TCOLEXPAND(chosen_1_tile_wide, chosen_1_tile);
        VecU8_8x32_c8 chosen_equal_bits; TASSIGN<0x03180>(chosen_equal_bits);  // UB 0x03180..0x03280
        pipe_barrier(PIPE_V);
        TCMP(chosen_equal_bits, expert_tile_wide, chosen_1_tile_wide, CmpMode::EQ);
        VecF16_8x64 chosen_equal; TASSIGN<0x02180>(chosen_equal);  // UB 0x02180..0x02580
        pipe_barrier(PIPE_V);
        TEXPANDS(chosen_equal, 1.0f);
        VecF16_1x64 chosen_equal_tmp; TASSIGN<0x02580>(chosen_equal_tmp);  // UB 0x02580..0x02600
        pipe_barrier(PIPE_V);
        TSELS(chosen_equal, chosen_equal_bits, chosen_equal, chosen_equal_tmp, 0.0f);
        VecI32_8x64 chosen_tile; TASSIGN(chosen_tile, 0x00180 + t0_buffer * 0x00800);  // UB 0x00180..0x02180, 4 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCVT(chosen_tile, chosen_equal, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        ChosenGm chosen_out(chosen + int64_t(t0) * 512);
        TSTORE(chosen_out, chosen_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void rank_vec2(
    __gm__ int32_t *chosen, __gm__ int32_t *expert, __gm__ int32_t *chosen_1, int32_t t_begin, int32_t t_end,
    int32_t nblk)
{
    run_block(chosen, expert, chosen_1, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
