// place_lines: vector kernel of `moe_combine` for a2a3. Made by pyptogen; change the spec, not this file.
// stages place_lines; tiles t 128; memory UB 20480 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_128x8 = Tile<TileType::Vec, int32_t, 128, 8, BLayout::RowMajor, DYNAMIC, 8>;
using VecI32_8x128 = Tile<TileType::Vec, int32_t, 8, 128, BLayout::RowMajor, 8, DYNAMIC>;
using PlaceGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 8>, Stride<1, 1, 1, 8, 1>>;
using PlaceLinesGm = GlobalTensor<int32_t, Shape<1, 1, 1, 8, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *place_lines,
    __gm__ int32_t *place,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = block * 128; t0 < t; t0 += nblk * 128, t0_buffer ^= 1) {
        const int32_t t0_valid = t - t0 < 128 ? t - t0 : 128;
        // row: index_select(rows, 0, reshape(place[:, k], [t]))
        VecI32_128x8 place_tile_across(t0_valid); TASSIGN(place_tile_across, 0x02000 + t0_buffer * 0x01000);  // UB 0x02000..0x04000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        PlaceGm place_in(place + int64_t(t0) * 8, {t0_valid});
        TLOAD(place_tile_across, place_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecI32_8x128 place_tile(t0_valid); TASSIGN(place_tile, 0x00000 + t0_buffer * 0x01000);  // UB 0x00000..0x02000, 2 copies
        VecI32_128x8 place_tile_tmp(t0_valid); TASSIGN<0x04000>(place_tile_tmp);  // UB 0x04000..0x05000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TTRANS(place_tile, place_tile_across, place_tile_tmp);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        PlaceLinesGm place_lines_out(place_lines + int64_t(t0), {t0_valid}, {int64_t(t)});
        TSTORE(place_lines_out, place_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void place_lines(
    __gm__ int32_t *place_lines, __gm__ int32_t *place, int32_t t, int32_t nblk)
{
    run_block(place_lines, place, t, nblk, static_cast<int32_t>(get_block_idx()));
}
