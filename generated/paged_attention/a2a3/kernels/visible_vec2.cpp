// visible_vec2: vector kernel of `paged_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages visible; tiles slots 3072; memory UB 24576 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x3072 = Tile<TileType::Vec, int32_t, 1, 3072, BLayout::RowMajor, 1, DYNAMIC>;
using Place1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *place_1,
    int32_t pages,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t slots0_buffer = 0;  // which of 2 buffers this iteration of slots0 uses
    set_flag(PIPE_MTE3, PIPE_S, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_S, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t slots0 = block * 3072; slots0 < pages * 32; slots0 += nblk * 3072, slots0_buffer ^= 1) {
        const int32_t slots0_valid = pages * 32 - slots0 < 3072 ? pages * 32 - slots0 : 3072;
        // place: cast(arange(slots), fp32)
        VecI32_1x3072 place_1_view(slots0_valid); TASSIGN(place_1_view, 0x00000 + slots0_buffer * 0x03000);  // UB 0x00000..0x06000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_S, event_t(slots0_buffer));  // free again
        TCI<VecI32_1x3072, int32_t, 0>(place_1_view, slots0);
        set_flag(PIPE_S, PIPE_MTE3, event_t(slots0_buffer));
        wait_flag(PIPE_S, PIPE_MTE3, event_t(slots0_buffer));
        Place1Gm place_1_out(place_1 + int64_t(slots0), {slots0_valid});
        TSTORE(place_1_out, place_1_view);
        set_flag(PIPE_MTE3, PIPE_S, event_t(slots0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void visible_vec2(__gm__ int32_t *place_1, int32_t pages, int32_t nblk)
{
    run_block(place_1, pages, nblk, static_cast<int32_t>(get_block_idx()));
}
