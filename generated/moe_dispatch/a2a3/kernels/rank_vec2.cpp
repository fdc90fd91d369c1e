// rank_vec2: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rank; tiles t 8; memory UB 68352 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecI32_1x64m = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_64x64 = Tile<TileType::Vec, int32_t, 64, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecI32_64x1 = Tile<TileType::Vec, int32_t, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecU8_64x32_c8 = Tile<TileType::Vec, uint8_t, 64, 32, BLayout::RowMajor, DYNAMIC, 8>;
using VecF16_64x64 = Tile<TileType::Vec, half, 64, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecF16_1x64 = Tile<TileType::Vec, half, 1, 64, BLayout::RowMajor, 1, 64>;
using Chosen1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;
using ExpertGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using ChosenGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 64, 1>>;

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
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    // chosen: one_hot(expert, experts)
    VecI32_1x64 chosen_1_tile; TASSIGN<0x00200>(chosen_1_tile);  // UB 0x00200..0x00300
    Chosen1Gm chosen_1_in(chosen_1);
    TLOAD(chosen_1_tile, chosen_1_in);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 8; t0 < t_end; t0 += nblk * 8, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 8 ? t_end - t0 : 8;
        VecI32_1x64m expert_tile_row(t0_valid * 8); TASSIGN(expert_tile_row, 0x00000 + t0_buffer * 0x00100);  // as a row, same bytes as expert_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        ExpertGm expert_in(expert + int64_t(t0) * 8, {t0_valid * 8});
        TLOAD(expert_tile_row, expert_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecI32_64x64 expert_tile_wide_ones(t0_valid * 8); TASSIGN<0x08300>(expert_tile_wide_ones);  // UB 0x08300..0x0c300
        pipe_barrier(PIPE_V);
        TEXPANDS(expert_tile_wide_ones, 1);
        VecI32_64x64 expert_tile_wide(t0_valid * 8); TASSIGN<0x08300>(expert_tile_wide);  // UB 0x08300..0x0c300
        VecI32_64x1 expert_tile(t0_valid * 8); TASSIGN(expert_tile, 0x00000 + t0_buffer * 0x00100);  // UB 0x00000..0x00200, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TROWEXPANDMUL(expert_tile_wide, expert_tile_wide_ones, expert_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecI32_64x64 chosen_1_tile_wide(t0_valid * 8); TASSIGN<0x0c300>(chosen_1_tile_wide);  // UB 0x0c300..0x10300
        TCOLEXPAND(chosen_1_tile_wide, chosen_1_tile);
        VecU8_64x32_c8 chosen_equal_bits(t0_valid * 8); TASSIGN<0x10300>(chosen_equal_bits);  // UB 0x10300..0x10b00
        pipe_barrier(PIPE_V);
        TCMP(chosen_equal_bits, expert_tile_wide, chosen_1_tile_wide, CmpMode::EQ);
        VecF16_64x64 chosen_equal(t0_valid * 8); TASSIGN<0x08300>(chosen_equal);  // UB 0x08300..0x0a300
        pipe_barrier(PIPE_V);
        TEXPANDS(chosen_equal, 1.0f);
        VecF16_1x64 chosen_equal_tmp; TASSIGN<0x0a300>(chosen_equal_tmp);  // UB 0x0a300..0x0a380
        pipe_barrier(PIPE_V);
        TSELS(chosen_equal, chosen_equal_bits, chosen_equal, chosen_equal_tmp, 0.0f);
        VecI32_64x64 chosen_tile(t0_valid * 8); TASSIGN(chosen_tile, 0x00300 + t0_buffer * 0x04000);  // UB 0x00300..0x08300, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCVT(chosen_tile, chosen_equal, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        ChosenGm chosen_out(chosen + int64_t(t0) * 512, {t0_valid * 8});
        TSTORE(chosen_out, chosen_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void rank_vec2(
    __gm__ int32_t *chosen, __gm__ int32_t *expert, __gm__ int32_t *chosen_1, int32_t t_begin, int32_t t_end,
    int32_t nblk)
{
    run_block(chosen, expert, chosen_1, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
