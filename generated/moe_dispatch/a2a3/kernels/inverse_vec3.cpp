// inverse_vec3: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages inverse; tiles t 2; memory UB 1152 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x16 = Tile<TileType::Vec, int32_t, 1, 16, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_16x8 = Tile<TileType::Vec, int32_t, 16, 8, BLayout::RowMajor, DYNAMIC, 8>;
using VecI32_16x1 = Tile<TileType::Vec, int32_t, 16, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecI32_1x8_c1 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 1>;
using CopyGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using SourceGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;

// An index, or -1, which skips, for one that names no place. `site`: which of the operator's this is, for PTG408.
AICORE inline int64_t index_or_skip(int64_t index, int64_t size, [[maybe_unused]] int32_t site)
{
#if defined(PTO_WRONG_INDEX)
    PTO_WRONG_INDEX(index < -1 || index >= size, index, size, site);
#endif
    return index < size ? index : -1;
}

AICORE inline void run_block(
    __gm__ int32_t *source,
    __gm__ int32_t *copy,
    __gm__ int32_t *place,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);  // indices in GM may have changed
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 2; t0 < t_end; t0 += nblk * 2, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 2 ? t_end - t0 : 2;
        // source: scatter_update(zeros([t * k, 1], int32), reshape(place, [t * k]), copy, dim=0)
        VecI32_1x16 copy_tile_row(t0_valid * 8); TASSIGN(copy_tile_row, 0x00000 + t0_buffer * 0x00040);  // as a row, same bytes as copy_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        CopyGm copy_in(copy + int64_t(t0) * 8, {t0_valid * 8});
        TLOAD(copy_tile_row, copy_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecI32_16x8 copy_tile_wide(t0_valid * 8); TASSIGN(copy_tile_wide, 0x00080 + t0_buffer * 0x00200);  // UB 0x00080..0x00480, 2 copies
        VecI32_16x1 copy_tile(t0_valid * 8); TASSIGN(copy_tile, 0x00000 + t0_buffer * 0x00040);  // UB 0x00000..0x00080, 2 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TROWEXPAND(copy_tile_wide, copy_tile);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        // rows of copy_tile_wide to the slots in place
        for (int32_t row = 0; row < t0_valid * 8; ++row) {
            const int64_t slot = index_or_skip(place[int64_t(t0) * 8 + int64_t(row)], int64_t(t) * 8, 1);
            if (slot < 0) {  // this row is not kept
                continue;
            }
            VecI32_1x8_c1 copy_tile_wide_one; TASSIGN(copy_tile_wide_one, 0x00080 + row * 0x00020 + t0_buffer * 0x00200);  // row of copy_tile_wide
            SourceGm source_out(source + int64_t(slot));
            TSTORE(source_out, copy_tile_wide_one);
        }
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void inverse_vec3(
    __gm__ int32_t *source, __gm__ int32_t *copy, __gm__ int32_t *place, int32_t t_begin, int32_t t_end, int32_t t,
    int32_t nblk)
{
    run_block(source, copy, place, t_begin, t_end, t, nblk, static_cast<int32_t>(get_block_idx()));
}
