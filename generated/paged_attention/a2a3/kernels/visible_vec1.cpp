// visible_vec1: vector kernel of `paged_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages visible; tiles batch 1; memory UB 256 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x8_c1 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 1>;
using VecF32_1x8_c1 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;
using LengthsGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;
using Ahead1Gm = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ float *ahead_1,
    __gm__ int32_t *lengths,
    int32_t batch_begin,
    int32_t batch_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t batch0_buffer = 0;  // which of 4 buffers this iteration of batch0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    for (int32_t batch0 = batch_begin + block; batch0 < batch_end; batch0 += nblk, batch0_buffer = (batch0_buffer + 1) % 4) {
        // ahead: cast(lengths, fp32)[:, None] - place[None, :]
        VecI32_1x8_c1 lengths_tile; TASSIGN(lengths_tile, 0x00000 + batch0_buffer * 0x00020);  // UB 0x00000..0x00080, 4 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(batch0_buffer));  // free again
        LengthsGm lengths_in(lengths + int64_t(batch0));
        TLOAD(lengths_tile, lengths_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(batch0_buffer));
        VecF32_1x8_c1 ahead_1_tile; TASSIGN(ahead_1_tile, 0x00080 + batch0_buffer * 0x00020);  // UB 0x00080..0x00100, 4 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(batch0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(batch0_buffer));  // free again
        TCVT(ahead_1_tile, lengths_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(batch0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(batch0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(batch0_buffer));
        Ahead1Gm ahead_1_out(ahead_1 + int64_t(batch0));
        TSTORE(ahead_1_out, ahead_1_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(batch0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void visible_vec1(
    __gm__ float *ahead_1, __gm__ int32_t *lengths, int32_t batch_begin, int32_t batch_end, int32_t nblk)
{
    run_block(ahead_1, lengths, batch_begin, batch_end, nblk, static_cast<int32_t>(get_block_idx()));
}
