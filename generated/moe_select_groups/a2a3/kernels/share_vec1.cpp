// share_vec1: vector kernel of `moe_select_groups` for a2a3. Made by pyptogen; change the spec, not this file.
// stages share; tiles i1 1, i2 1; memory UB 64 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x8_c1 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;
using SGm = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;

// An index, or the nearest one that names a place. `site`: which of the operator's this is, for PTG408.
AICORE inline int64_t index_inside(int64_t index, int64_t places, [[maybe_unused]] int32_t site)
{
#if defined(PTO_WRONG_INDEX)
    PTO_WRONG_INDEX(index < 0 || index >= places, index, places, site);
#endif
    return index < 0 ? 0 : index < places ? index : places - 1;
}

AICORE inline void run_block(
    __gm__ float *chosen,
    __gm__ float *s,
    __gm__ int32_t *expert,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);  // indices in GM may have changed
    int32_t i2_buffer = 0;  // which of 2 buffers this iteration of i2 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = t * 8;  // of i1 and i2
    for (int32_t tile = block; tile < tiles; tile += nblk, i2_buffer ^= 1) {
        const int32_t i1 = tile / 8;
        const int32_t i2 = tile % 8;
        const int64_t place = index_inside(expert[int64_t(i1) * 8 + int64_t(i2)], 256, 1);
        // chosen: gather(s, 1, expert)
        VecF32_1x8_c1 part; TASSIGN(part, 0x00000 + i2_buffer * 0x00020);  // UB 0x00000..0x00040, 2 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(i2_buffer));  // free again
        SGm s_in(s + int64_t(i1) * 256 + int64_t(place));
        TLOAD(part, s_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(i2_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(i2_buffer));
        SGm chosen_out(chosen + int64_t(i1) * 8 + int64_t(i2));
        TSTORE(chosen_out, part);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(i2_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void share_vec1(
    __gm__ float *chosen, __gm__ float *s, __gm__ int32_t *expert, int32_t t, int32_t nblk)
{
    run_block(chosen, s, expert, t, nblk, static_cast<int32_t>(get_block_idx()));
}
