// places_vec2: vector kernel of `embedding_bag` for a2a3. Made by pyptogen; change the spec, not this file.
// stages places; tiles i1 64, i2 64; memory UB 147456 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_64x64 = Tile<TileType::Vec, int32_t, 64, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using PlaceGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *place_lines,
    __gm__ int32_t *place,
    int32_t t,
    int32_t bag,
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
    const int32_t i2_tiles = (t + 63) / 64;
    const int32_t tiles = (bag + 63) / 64 * i2_tiles;  // of i1 and i2
    for (int32_t tile = block; tile < tiles; tile += nblk, i2_buffer = (i2_buffer + 1) % 4) {
        const int32_t i1 = tile / i2_tiles * 64;
        const int32_t i1_valid = bag - i1 < 64 ? bag - i1 : 64;
        const int32_t i2 = tile % i2_tiles * 64;
        const int32_t i2_valid = t - i2 < 64 ? t - i2 : 64;
        // row: index_select(table, 0, reshape(place[:, bag], [t]))
        VecI32_64x64 part(i2_valid, i1_valid); TASSIGN(part, 0x00000 + i2_buffer * 0x04000);  // UB 0x00000..0x10000, 4 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));  // free again
        PlaceGm place_in(place + int64_t(bag) * i2 + int64_t(i1), {i2_valid, i1_valid}, {int64_t(bag)});
        TLOAD(part, place_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
        VecI32_64x64 transposed(i1_valid, i2_valid); TASSIGN(transposed, 0x10000 + i2_buffer * 0x04000);  // UB 0x10000..0x20000, 4 copies
        VecI32_64x64 transposed_tmp(i2_valid, i1_valid); TASSIGN<0x20000>(transposed_tmp);  // UB 0x20000..0x24000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i2_buffer));  // free again
        TTRANS(transposed, part, transposed_tmp);
        set_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
        PlaceGm place_lines_out(place_lines + int64_t(i1) * t + int64_t(i2), {i1_valid, i2_valid}, {int64_t(t)});
        TSTORE(place_lines_out, transposed);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i2_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void places_vec2(
    __gm__ int32_t *place_lines, __gm__ int32_t *place, int32_t t, int32_t bag, int32_t nblk)
{
    run_block(place_lines, place, t, bag, nblk, static_cast<int32_t>(get_block_idx()));
}
