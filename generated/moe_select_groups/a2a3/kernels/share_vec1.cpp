// share_vec1: vector kernel of `moe_select_groups` for a2a3. Made by pyptogen; change the spec, not this file.
// stages share; tiles t 16, taken_at 1; memory UB 69664 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_16x256 = Tile<TileType::Vec, float, 16, 256, BLayout::RowMajor, DYNAMIC, 256>;
using VecI32_16x8 = Tile<TileType::Vec, int32_t, 16, 8, BLayout::RowMajor, DYNAMIC, 8>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 8>;
using VecF32_1x256 = Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, 256>;
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using VecF32_16x8 = Tile<TileType::Vec, float, 16, 8, BLayout::RowMajor, DYNAMIC, 8>;
using SGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 256, 1>>;
using ExpertGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 8>, Stride<1, 1, 1, 8, 1>>;
using ChosenGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 8>, Stride<1, 1, 1, 8, 1>>;

AICORE inline void run_block(
    __gm__ float *chosen,
    __gm__ float *s,
    __gm__ int32_t *expert,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 4 buffers this iteration of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    for (int32_t t0 = block * 16; t0 < t; t0 += nblk * 16, t0_buffer = (t0_buffer + 1) % 4) {
        const int32_t t0_valid = t - t0 < 16 ? t - t0 : 16;
        // chosen: gather(s, 1, expert)
        VecF32_16x256 s_tile(t0_valid); TASSIGN(s_tile, 0x00000 + t0_buffer * 0x04000);  // UB 0x00000..0x10000, 4 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        SGm s_in(s + int64_t(t0) * 256, {t0_valid});
        TLOAD(s_tile, s_in);
        VecI32_16x8 expert_tile(t0_valid); TASSIGN(expert_tile, 0x10000 + t0_buffer * 0x00200);  // UB 0x10000..0x10800, 4 copies
        ExpertGm expert_in(expert + int64_t(t0) * 8, {t0_valid});
        TLOAD(expert_tile, expert_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        for (int32_t taken_at = 0; taken_at < t0_valid; ++taken_at) {
            VecF32_1x8 taken_line; TASSIGN(taken_line, 0x10800 + t0_buffer * 0x00200 + taken_at * 0x00020);  // rows taken_at.. of taken
            VecF32_1x256 s_tile_line; TASSIGN(s_tile_line, 0x00000 + t0_buffer * 0x04000 + taken_at * 0x00400);  // rows taken_at.. of s_tile
            VecI32_1x8 expert_tile_line; TASSIGN(expert_tile_line, 0x10000 + t0_buffer * 0x00200 + taken_at * 0x00020);  // rows taken_at.. of expert_tile
            VecI32_1x8 taken_line_tmp; TASSIGN<0x11000>(taken_line_tmp);  // UB 0x11000..0x11020
            pipe_barrier(PIPE_V);
            TGATHER(taken_line, s_tile_line, expert_tile_line, taken_line_tmp);
        }
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecF32_16x8 taken_(t0_valid); TASSIGN(taken_, 0x10800 + t0_buffer * 0x00200);  // UB 0x10800..0x11000, 4 copies
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        ChosenGm chosen_out(chosen + int64_t(t0) * 8, {t0_valid});
        TSTORE(chosen_out, taken_);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void share_vec1(
    __gm__ float *chosen, __gm__ float *s, __gm__ int32_t *expert, int32_t t, int32_t nblk)
{
    run_block(chosen, s, expert, t, nblk, static_cast<int32_t>(get_block_idx()));
}
