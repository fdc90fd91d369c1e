// gather_vec2: vector kernel of `sparse_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages gather; tiles rows_rows 8; memory UB 18432 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x576 = Tile<TileType::Vec, bfloat16_t, 1, 576, BLayout::RowMajor, 1, 576>;
using VecB16_8x576 = Tile<TileType::Vec, bfloat16_t, 8, 576, BLayout::RowMajor, DYNAMIC, 576>;
using LatentGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 576>, Stride<1, 1, 1, 576, 1>>;
using RowsGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 576>, Stride<1, 1, 1, 576, 1>>;

// An index, or the nearest one that names a place. `site`: which of the operator's this is, for PTG408.
AICORE inline int64_t index_inside(int64_t index, int64_t size, [[maybe_unused]] int32_t site)
{
#if defined(PTO_WRONG_INDEX)
    PTO_WRONG_INDEX(index < 0 || index >= size, index, size, site);
#endif
    return index < 0 ? 0 : index < size ? index : size - 1;
}

AICORE inline void run_block(
    __gm__ bfloat16_t *rows,
    __gm__ bfloat16_t *latent,
    __gm__ int32_t *rows_1,
    int32_t t,
    int32_t kv,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);  // indices in GM may have changed
    int32_t rows_rows0_buffer = 0;  // which of 2 buffers this iteration of rows_rows0 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t rows_rows0 = block * 8; rows_rows0 < t * 2048; rows_rows0 += nblk * 8, rows_rows0_buffer ^= 1) {
        const int32_t rows_rows0_valid = t * 2048 - rows_rows0 < 8 ? t * 2048 - rows_rows0 : 8;
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(rows_rows0_buffer));  // free again
        // rows of latent_tile from the slots in rows_1
        for (int32_t row = 0; row < rows_rows0_valid; ++row) {
            const int64_t slot = index_inside(rows_1[int64_t(row) + int64_t(rows_rows0)], int64_t(kv), 1);
            // rows: index_select(latent, 0, reshape(maximum(index, 0), [t * selected]))
            VecB16_1x576 latent_tile_one; TASSIGN(latent_tile_one, 0x00000 + row * 0x00480 + rows_rows0_buffer * 0x02400);  // row of latent_tile
            LatentGm latent_in(latent + int64_t(slot) * 576);
            TLOAD(latent_tile_one, latent_in);
        }
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(rows_rows0_buffer));
        VecB16_8x576 latent_tile(rows_rows0_valid); TASSIGN(latent_tile, 0x00000 + rows_rows0_buffer * 0x02400);  // UB 0x00000..0x04800, 2 copies
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(rows_rows0_buffer));
        RowsGm rows_out(rows + int64_t(rows_rows0) * 576, {rows_rows0_valid});
        TSTORE(rows_out, latent_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(rows_rows0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void gather_vec2(
    __gm__ bfloat16_t *rows, __gm__ bfloat16_t *latent, __gm__ int32_t *rows_1, int32_t t, int32_t kv, int32_t nblk)
{
    run_block(rows, latent, rows_1, t, kv, nblk, static_cast<int32_t>(get_block_idx()));
}
