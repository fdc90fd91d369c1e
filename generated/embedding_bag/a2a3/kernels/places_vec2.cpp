// places_vec2: vector kernel of `embedding_bag` for a2a3. Made by pyptogen; change the spec, not this file.
// stages places; tiles bag 128, t 64; memory UB 163840 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_64x128 = Tile<TileType::Vec, int32_t, 64, 128, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecI32_128x64 = Tile<TileType::Vec, int32_t, 128, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using TokenGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *place_lines,
    __gm__ int32_t *token,
    int32_t t,
    int32_t bag,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    const int32_t t0_tiles = (t + 63) / 64;
    const int32_t tiles = (bag + 127) / 128 * t0_tiles;  // of bag0 and t0
    for (int32_t tile = block; tile < tiles; tile += nblk, t0_buffer ^= 1) {
        const int32_t bag0 = tile / t0_tiles * 128;
        const int32_t bag0_valid = bag - bag0 < 128 ? bag - bag0 : 128;
        const int32_t t0 = tile % t0_tiles * 64;
        const int32_t t0_valid = t - t0 < 64 ? t - t0 : 64;
        // place: maximum(token, 0)
        VecI32_64x128 token_tile_across(t0_valid, bag0_valid); TASSIGN(token_tile_across, 0x10000 + t0_buffer * 0x08000);  // UB 0x10000..0x20000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        TokenGm token_in(token + int64_t(bag) * t0 + int64_t(bag0), {t0_valid, bag0_valid}, {int64_t(bag)});
        TLOAD(token_tile_across, token_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecI32_128x64 token_tile(bag0_valid, t0_valid); TASSIGN(token_tile, 0x00000 + t0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        VecI32_64x128 token_tile_tmp(t0_valid, bag0_valid); TASSIGN<0x20000>(token_tile_tmp);  // UB 0x20000..0x28000
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TTRANS(token_tile, token_tile_across, token_tile_tmp);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecI32_128x64 place(bag0_valid, t0_valid); TASSIGN(place, 0x00000 + t0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        pipe_barrier(PIPE_V);
        TMAXS(place, token_tile, 0);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        // row: index_select(table, 0, reshape(place[:, bag], [t]))
        TokenGm place_lines_out(place_lines + int64_t(bag0) * t + int64_t(t0), {bag0_valid, t0_valid}, {int64_t(t)});
        TSTORE(place_lines_out, place);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void places_vec2(
    __gm__ int32_t *place_lines, __gm__ int32_t *token, int32_t t, int32_t bag, int32_t nblk)
{
    run_block(place_lines, token, t, bag, nblk, static_cast<int32_t>(get_block_idx()));
}
