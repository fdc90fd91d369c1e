// store: vector kernel of `rope_cache` for a2a3. Made by pyptogen; change the spec, not this file.
// stages store; tiles t 16; memory UB 65536 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_16x512 = Tile<TileType::Vec, bfloat16_t, 16, 512, BLayout::RowMajor, DYNAMIC, 512>;
using VecB16_1x512 = Tile<TileType::Vec, bfloat16_t, 1, 512, BLayout::RowMajor, 1, 512>;
using KTurnedGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 512, 1>>;
using KCacheGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 512>, Stride<1, 1, 1, 512, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *k_cache,
    __gm__ bfloat16_t *v_cache,
    __gm__ bfloat16_t *k_turned,
    __gm__ int64_t *slot,
    __gm__ bfloat16_t *v,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);  // indices in GM may have changed
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 16; t0 < t_end; t0 += nblk * 16, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 16 ? t_end - t0 : 16;
        // k_cache: scatter_update(k_cache, slot, k_turned, dim=1)
        VecB16_16x512 k_turned_tile(t0_valid); TASSIGN(k_turned_tile, 0x00000 + t0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(t0_buffer));  // free again
        KTurnedGm k_turned_in(k_turned + int64_t(t0) * 512, {t0_valid});
        TLOAD(k_turned_tile, k_turned_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(2 + t0_buffer));
        // v_cache: scatter_update(v_cache, slot, v, dim=1)
        VecB16_16x512 v_tile(t0_valid); TASSIGN(v_tile, 0x08000 + t0_buffer * 0x04000);  // UB 0x08000..0x10000, 2 copies
        KTurnedGm v_in(v + int64_t(t0) * 512, {t0_valid});
        TLOAD(v_tile, v_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(2 + t0_buffer));
        // rows of k_turned_tile to the slots in slot
        for (int32_t row = 0; row < t0_valid; ++row) {
            const int64_t slot_i = slot[int64_t(row) + int64_t(t0)];
            if (slot_i < 0) {  // this row is not kept
                continue;
            }
            // k_cache: scatter_update(k_cache, slot, k_turned, dim=1)
            VecB16_1x512 k_turned_tile_one; TASSIGN(k_turned_tile_one, 0x00000 + row * 0x00400 + t0_buffer * 0x04000);  // row of k_turned_tile
            KCacheGm k_cache_out(k_cache + int64_t(slot_i) * 512);
            TSTORE(k_cache_out, k_turned_tile_one);
        }
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(t0_buffer));
        // rows of v_tile to the slots in slot
        for (int32_t row = 0; row < t0_valid; ++row) {
            const int64_t slot_i = slot[int64_t(row) + int64_t(t0)];
            if (slot_i < 0) {  // this row is not kept
                continue;
            }
            // v_cache: scatter_update(v_cache, slot, v, dim=1)
            VecB16_1x512 v_tile_one; TASSIGN(v_tile_one, 0x08000 + row * 0x00400 + t0_buffer * 0x04000);  // row of v_tile
            KCacheGm v_cache_out(v_cache + int64_t(slot_i) * 512);
            TSTORE(v_cache_out, v_tile_one);
        }
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(t0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void store(
    __gm__ bfloat16_t *k_cache, __gm__ bfloat16_t *v_cache, __gm__ bfloat16_t *k_turned, __gm__ int64_t *slot,
    __gm__ bfloat16_t *v, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(k_cache, v_cache, k_turned, slot, v, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
