// visible_vec3: vector kernel of `paged_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages visible; tiles batch 1, slots 1024; memory UB 41088 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x1024 = Tile<TileType::Vec, int32_t, 1, 1024, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x1024 = Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x8_c1 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;
using VecF32_8x1024_r1 = Tile<TileType::Vec, float, 8, 1024, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x1_r1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1>;
using Place1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using Ahead1Gm = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 0, 1>>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;

AICORE inline void run_block(
    __gm__ float *bias,
    __gm__ int32_t *place_1,
    __gm__ float *ahead_1,
    int32_t batch_begin,
    int32_t batch_end,
    int32_t pages,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t slots0_buffer = 0;  // which of 4 buffers this iteration of slots0 uses
    int32_t batch0_buffer = 0;  // which of 4 buffers this iteration of batch0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID6); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);  // 4 buffers are free at first
    for (int32_t slots0 = 0; slots0 < pages * 32; slots0 += 1024, slots0_buffer = (slots0_buffer + 1) % 4) {
        const int32_t slots0_valid = pages * 32 - slots0 < 1024 ? pages * 32 - slots0 : 1024;
        // place: cast(arange(slots), fp32)
        VecI32_1x1024 place_1_tile(slots0_valid); TASSIGN(place_1_tile, 0x00000 + slots0_buffer * 0x01000);  // UB 0x00000..0x04000, 4 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + slots0_buffer));  // free again
        Place1Gm place_1_in(place_1 + int64_t(slots0), {slots0_valid});
        TLOAD(place_1_tile, place_1_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + slots0_buffer));
        VecF32_1x1024 place(slots0_valid); TASSIGN<0x08080>(place);  // UB 0x08080..0x09080
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + slots0_buffer));
        TCVT(place, place_1_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(4 + slots0_buffer));
        for (int32_t batch0 = batch_begin + block; batch0 < batch_end; batch0 += nblk, batch0_buffer = (batch0_buffer + 1) % 4) {
            // ahead: cast(lengths, fp32)[:, None] - place[None, :]
            VecF32_1x8_c1 ahead_1_tile_row; TASSIGN(ahead_1_tile_row, 0x04000 + batch0_buffer * 0x00020);  // as a row, same bytes as ahead_1_tile
            wait_flag(PIPE_V, PIPE_MTE2, event_t(batch0_buffer));  // free again
            Ahead1Gm ahead_1_in(ahead_1 + int64_t(batch0));
            TLOAD(ahead_1_tile_row, ahead_1_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(batch0_buffer));
            VecF32_8x1024_r1 ahead(slots0_valid); TASSIGN<0x09080>(ahead);  // UB 0x09080..0x0a080
            VecF32_8x1_r1 ahead_1_tile; TASSIGN(ahead_1_tile, 0x04000 + batch0_buffer * 0x00020);  // UB 0x04000..0x04080, 4 copies
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(batch0_buffer));
            TROWEXPAND(ahead, ahead_1_tile);
            set_flag(PIPE_V, PIPE_MTE2, event_t(batch0_buffer));
            pipe_barrier(PIPE_V);
            TCOLEXPANDSUB(ahead, ahead, place);
            // bias:  reshape(minimum(ahead - 0.5, 0) * 1.0e30, [batch, pages, 1, 1, block_size])
            VecF32_8x1024_r1 bias_1(slots0_valid); TASSIGN<0x09080>(bias_1);  // UB 0x09080..0x0a080
            pipe_barrier(PIPE_V);
            TSUBS(bias_1, ahead, 0.5f);
            pipe_barrier(PIPE_V);
            TMINS(bias_1, bias_1, 0.0f);
            VecF32_8x1024_r1 bias_3(slots0_valid); TASSIGN(bias_3, 0x04080 + batch0_buffer * 0x01000);  // UB 0x04080..0x08080, 4 copies
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, event_t(batch0_buffer));  // free again
            TMULS(bias_3, bias_1, 1e+30f);
            set_flag(PIPE_V, PIPE_MTE3, event_t(batch0_buffer));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(batch0_buffer));
            BiasGm bias_out(bias + int64_t(batch0) * pages * 32 + int64_t(slots0), {slots0_valid}, {int64_t(pages) * 32});
            TSTORE(bias_out, bias_3);
            set_flag(PIPE_MTE3, PIPE_V, event_t(batch0_buffer));
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID6); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void visible_vec3(
    __gm__ float *bias, __gm__ int32_t *place_1, __gm__ float *ahead_1, int32_t batch_begin, int32_t batch_end,
    int32_t pages, int32_t nblk)
{
    run_block(bias, place_1, ahead_1, batch_begin, batch_end, pages, nblk, static_cast<int32_t>(get_block_idx()));
}
