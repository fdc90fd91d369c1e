// place_vec4: vector kernel of `grouped_matmul` for a2a3. Made by pyptogen; change the spec, not this file.
// stages place; tiles t 1024; memory UB 49152 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x1024 = Tile<TileType::Vec, int32_t, 1, 1024, BLayout::RowMajor, 1, DYNAMIC>;
using Past1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *slot,
    __gm__ int32_t *past_1,
    __gm__ int32_t *slot_1,
    int32_t full,
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
    for (int32_t t0 = block * 1024; t0 < full * 32; t0 += nblk * 1024, t0_buffer = (t0_buffer + 1) % 4) {
        const int32_t t0_valid = full * 32 - t0 < 1024 ? full * 32 - t0 : 1024;
        // slot:  reshape(arange(t), [t, 1]) - index_select(shift, 0, owner)[:, None]
        VecI32_1x1024 past_1_tile_row(t0_valid); TASSIGN(past_1_tile_row, 0x00000 + t0_buffer * 0x01000);  // as a row, same bytes as past_1_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        Past1Gm past_1_in(past_1 + int64_t(t0), {t0_valid});
        TLOAD(past_1_tile_row, past_1_in);
        VecI32_1x1024 slot_1_tile_row(t0_valid); TASSIGN(slot_1_tile_row, 0x04000 + t0_buffer * 0x01000);  // as a row, same bytes as slot_1_tile
        Past1Gm slot_1_in(slot_1 + int64_t(t0), {t0_valid});
        TLOAD(slot_1_tile_row, slot_1_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecI32_1x1024 slot_tile_row(t0_valid); TASSIGN(slot_tile_row, 0x08000 + t0_buffer * 0x01000);  // as a row, same bytes as slot_tile
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TSUB(slot_tile_row, past_1_tile_row, slot_1_tile_row);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        Past1Gm slot_out(slot + int64_t(t0), {t0_valid});
        TSTORE(slot_out, slot_tile_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void place_vec4(
    __gm__ int32_t *slot, __gm__ int32_t *past_1, __gm__ int32_t *slot_1, int32_t full, int32_t nblk)
{
    run_block(slot, past_1, slot_1, full, nblk, static_cast<int32_t>(get_block_idx()));
}
