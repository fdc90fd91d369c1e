// places: vector kernel of `lightning_indexer` for a2a3. Made by pyptogen; change the spec, not this file.
// stages places; tiles kv 96; memory UB 768 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x96 = Tile<TileType::Vec, int32_t, 1, 96, BLayout::RowMajor, 1, DYNAMIC>;
using PlaceGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *place,
    int64_t kv,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t kv0_buffer = 0;  // which of 2 buffers this iteration of kv0 uses
    set_flag(PIPE_MTE3, PIPE_S, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_S, EVENT_ID1);  // 2 buffers are free at first
    for (int64_t kv0 = block * 96; kv0 < kv; kv0 += nblk * 96, kv0_buffer ^= 1) {
        const int32_t kv0_valid = static_cast<int32_t>(kv - kv0 < 96 ? kv - kv0 : 96);
        // place: arange(kv)
        VecI32_1x96 place_view(kv0_valid); TASSIGN(place_view, 0x00000 + kv0_buffer * 0x00180);  // UB 0x00000..0x00300, 2 copies
        wait_flag(PIPE_MTE3, PIPE_S, event_t(kv0_buffer));  // free again
        TCI<VecI32_1x96, int32_t, 0>(place_view, kv0);
        set_flag(PIPE_S, PIPE_MTE3, event_t(kv0_buffer));
        wait_flag(PIPE_S, PIPE_MTE3, event_t(kv0_buffer));
        PlaceGm place_out(place + int64_t(kv0), {kv0_valid});
        TSTORE(place_out, place_view);
        set_flag(PIPE_MTE3, PIPE_S, event_t(kv0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void places(__gm__ int32_t *place, int64_t kv, int32_t nblk)
{
    run_block(place, kv, nblk, static_cast<int32_t>(get_block_idx()));
}
