// share_vec1: vector kernel of `moe_select_groups` for a2a3. Made by pyptogen; change the spec, not this file.
// stages share; tiles at 1, i2 16; memory UB 69664 B
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
    int32_t i2_buffer = 0;  // which of 4 buffers this iteration of i2 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    for (int32_t i2 = block * 16; i2 < t; i2 += nblk * 16, i2_buffer = (i2_buffer + 1) % 4) {
        const int32_t i2_valid = t - i2 < 16 ? t - i2 : 16;
        // chosen: gather(s, 1, expert)
        VecF32_16x256 source(i2_valid); TASSIGN(source, 0x00000 + i2_buffer * 0x04000);  // UB 0x00000..0x10000, 4 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));  // free again
        SGm s_in(s + int64_t(i2) * 256, {i2_valid});
        TLOAD(source, s_in);
        VecI32_16x8 places(i2_valid); TASSIGN(places, 0x10000 + i2_buffer * 0x00200);  // UB 0x10000..0x10800, 4 copies
        ExpertGm expert_in(expert + int64_t(i2) * 8, {i2_valid});
        TLOAD(places, expert_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
        wait_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i2_buffer));  // free again
        for (int32_t at = 0; at < i2_valid; ++at) {
            VecF32_1x8 part_row; TASSIGN(part_row, 0x10800 + at * 0x00020 + i2_buffer * 0x00200);  // rows at.. of part
            VecF32_1x256 source_row; TASSIGN(source_row, 0x00000 + at * 0x00400 + i2_buffer * 0x04000);  // rows at.. of source
            VecI32_1x8 places_row; TASSIGN(places_row, 0x10000 + at * 0x00020 + i2_buffer * 0x00200);  // rows at.. of places
            VecI32_1x8 part_row_tmp; TASSIGN<0x11000>(part_row_tmp);  // UB 0x11000..0x11020
            pipe_barrier(PIPE_V);
            TGATHER(part_row, source_row, places_row, part_row_tmp);
        }
        set_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));
        VecF32_16x8 part(i2_valid); TASSIGN(part, 0x10800 + i2_buffer * 0x00200);  // UB 0x10800..0x11000, 4 copies
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
        ChosenGm chosen_out(chosen + int64_t(i2) * 8, {i2_valid});
        TSTORE(chosen_out, part);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i2_buffer));
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
