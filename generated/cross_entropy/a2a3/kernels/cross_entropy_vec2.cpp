// cross_entropy_vec2: vector kernel of `cross_entropy` for a2a3. Made by pyptogen; change the spec, not this file.
// stages cross_entropy; tiles rows 1; memory UB 128 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x8_c1 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;
using LogitsGm = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 4096>>;
using NamedGm = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;

// An index, or the nearest one that names a place. `site`: which of the operator's this is, for PTG408.
AICORE inline int64_t index_inside(int64_t index, int64_t size, [[maybe_unused]] int32_t site)
{
#if defined(PTO_WRONG_INDEX)
    PTO_WRONG_INDEX(index < 0 || index >= size, index, size, site);
#endif
    return index < 0 ? 0 : index < size ? index : size - 1;
}

AICORE inline void run_block(
    __gm__ float *named,
    __gm__ float *logits,
    __gm__ int32_t *label_int32,
    int32_t rows,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);  // indices in GM may have changed
    int32_t rows0_buffer = 0;  // which of 4 buffers this iteration of rows0 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    for (int32_t rows0 = block; rows0 < rows; rows0 += nblk, rows0_buffer = (rows0_buffer + 1) % 4) {
        const int64_t label_int32_here = index_inside(label_int32[int64_t(rows0)], 4096, 1);
        // named: gather(logits, 1, label[:, None])
        VecF32_1x8_c1 logits_tile; TASSIGN(logits_tile, 0x00000 + rows0_buffer * 0x00020);  // UB 0x00000..0x00080, 4 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(rows0_buffer));  // free again
        LogitsGm logits_in(logits + int64_t(rows0) * 4096 + int64_t(label_int32_here));
        TLOAD(logits_tile, logits_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(rows0_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(rows0_buffer));
        NamedGm named_out(named + int64_t(rows0));
        TSTORE(named_out, logits_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(rows0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void cross_entropy_vec2(
    __gm__ float *named, __gm__ float *logits, __gm__ int32_t *label_int32, int32_t rows, int32_t nblk)
{
    run_block(named, logits, label_int32, rows, nblk, static_cast<int32_t>(get_block_idx()));
}
