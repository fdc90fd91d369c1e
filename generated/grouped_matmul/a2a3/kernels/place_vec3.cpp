// place_vec3: vector kernel of `grouped_matmul` for a2a3. Made by pyptogen; change the spec, not this file.
// stages place; tiles t 8; memory UB 512 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x8_c1 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 1>;
using VecI32_8x8_c1 = Tile<TileType::Vec, int32_t, 8, 8, BLayout::RowMajor, 8, 1>;
using ShiftGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;
using Slot1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 8, 1>, Stride<1, 1, 1, 1, 1>>;

// An index, or the nearest one that names a place. `site`: which of the operator's this is, for PTG408.
AICORE inline int64_t index_inside(int64_t index, int64_t size, [[maybe_unused]] int32_t site)
{
#if defined(PTO_WRONG_INDEX)
    PTO_WRONG_INDEX(index < 0 || index >= size, index, size, site);
#endif
    return index < 0 ? 0 : index < size ? index : size - 1;
}

AICORE inline void run_block(
    __gm__ int32_t *slot_1,
    __gm__ int32_t *shift,
    __gm__ int32_t *owner,
    int32_t full,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);  // indices in GM may have changed
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = block * 8; t0 < full * 32; t0 += nblk * 8, t0_buffer ^= 1) {
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(t0_buffer));  // free again
        // rows of shift_tile from the slots in owner
        for (int32_t row = 0; row < 8; ++row) {
            const int64_t slot = index_inside(owner[int64_t(row) + int64_t(t0)], 16, 4);
            // slot:  reshape(arange(t), [t, 1]) - index_select(shift, 0, owner)[:, None]
            VecI32_1x8_c1 shift_tile_one; TASSIGN(shift_tile_one, 0x00000 + row * 0x00020 + t0_buffer * 0x00100);  // row of shift_tile
            ShiftGm shift_in(shift + int64_t(slot));
            TLOAD(shift_tile_one, shift_in);
        }
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(t0_buffer));
        VecI32_8x8_c1 shift_tile; TASSIGN(shift_tile, 0x00000 + t0_buffer * 0x00100);  // UB 0x00000..0x00200, 2 copies
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(t0_buffer));
        Slot1Gm slot_1_out(slot_1 + int64_t(t0));
        TSTORE(slot_1_out, shift_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(t0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void place_vec3(
    __gm__ int32_t *slot_1, __gm__ int32_t *shift, __gm__ int32_t *owner, int32_t full, int32_t nblk)
{
    run_block(slot_1, shift, owner, full, nblk, static_cast<int32_t>(get_block_idx()));
}
