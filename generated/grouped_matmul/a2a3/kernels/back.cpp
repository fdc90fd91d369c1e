// back: vector kernel of `grouped_matmul` for a2a3. Made by pyptogen; change the spec, not this file.
// stages back; tiles t 8; memory UB 32768 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x512 = Tile<TileType::Vec, bfloat16_t, 1, 512, BLayout::RowMajor, 1, 512>;
using VecB16_8x512 = Tile<TileType::Vec, bfloat16_t, 8, 512, BLayout::RowMajor, 8, 512>;
using YBGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 512>, Stride<1, 1, 1, 512, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 8, 512>, Stride<1, 1, 1, 512, 1>>;

// An index, or the nearest one that names a place. `site`: which of the operator's this is, for PTG408.
AICORE inline int64_t index_inside(int64_t index, int64_t size, [[maybe_unused]] int32_t site)
{
#if defined(PTO_WRONG_INDEX)
    PTO_WRONG_INDEX(index < 0 || index >= size, index, size, site);
#endif
    return index < 0 ? 0 : index < size ? index : size - 1;
}

AICORE inline void run_block(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *y_b,
    __gm__ int32_t *slot,
    int32_t full,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);  // indices in GM may have changed
    int32_t t0_buffer = 0;  // which of 4 buffers this iteration of t0 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    for (int32_t t0 = block * 8; t0 < full * 32; t0 += nblk * 8, t0_buffer = (t0_buffer + 1) % 4) {
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(t0_buffer));  // free again
        // rows of y_b_tile from the slots in slot
        for (int32_t row = 0; row < 8; ++row) {
            const int64_t slot_i = index_inside(slot[int64_t(row) + int64_t(t0)], int64_t(full) * 32 + 512, 5);
            // y: index_select(reshape(y_b, [blocks * r, n]), 0, reshape(slot, [t]))
            VecB16_1x512 y_b_tile_one; TASSIGN(y_b_tile_one, 0x00000 + row * 0x00400 + t0_buffer * 0x02000);  // row of y_b_tile
            YBGm y_b_in(y_b + int64_t(slot_i) * 512);
            TLOAD(y_b_tile_one, y_b_in);
        }
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(t0_buffer));
        VecB16_8x512 y_b_tile; TASSIGN(y_b_tile, 0x00000 + t0_buffer * 0x02000);  // UB 0x00000..0x08000, 4 copies
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(t0_buffer));
        YGm y_out(y + int64_t(t0) * 512);
        TSTORE(y_out, y_b_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(t0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void back(
    __gm__ bfloat16_t *y, __gm__ bfloat16_t *y_b, __gm__ int32_t *slot, int32_t full, int32_t nblk)
{
    run_block(y, y_b, slot, full, nblk, static_cast<int32_t>(get_block_idx()));
}
