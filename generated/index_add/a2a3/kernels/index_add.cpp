// index_add: vector kernel of `index_add` for a2a3. Made by pyptogen; change the spec, not this file.
// stages index_add; tiles added 1, rows 1; memory UB 6144 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x256 = Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, 256>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, 1, 256>, Stride<1, 1, 1, 256, 1>>;

AICORE inline void run_block(
    __gm__ float *y,
    __gm__ float *x,
    __gm__ int32_t *index,
    __gm__ float *src,
    int32_t rows,
    int32_t added,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);  // indices in GM may have changed
    int32_t rows0_buffer = 0;  // which of 2 buffers this iteration of rows0 uses
    int32_t added0_buffer = 0;  // which of 2 buffers this iteration of added0 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2);  // 2 buffers are free at first
    for (int32_t rows0 = block; rows0 < rows; rows0 += nblk, rows0_buffer ^= 1) {
        // y: index_add(x, 0, index, src)
        VecF32_1x256 x_tile; TASSIGN(x_tile, 0x00000 + rows0_buffer * 0x00400);  // UB 0x00000..0x00800, 2 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(1 + rows0_buffer));  // free again
        XGm x_in(x + int64_t(rows0) * 256);
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(rows0_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(rows0_buffer));
        XGm y_out(y + int64_t(rows0) * 256);
        TSTORE(y_out, x_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(1 + rows0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2);  // drain: the last use of each of 2 buffers
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free at first
    for (int32_t added0 = 0; added0 < added; ++added0) {
        const int64_t index_here = index[int64_t(added0)];
        if (index_here % nblk != block) {  // another block's
            continue;
        }
        VecF32_1x256 src_tile; TASSIGN(src_tile, 0x00800 + added0_buffer * 0x00400);  // UB 0x00800..0x01000, 2 copies
        XGm src_in(src + int64_t(added0) * 256);
        TLOAD(src_tile, src_in);
        VecF32_1x256 old; TASSIGN(old, 0x01000 + added0_buffer * 0x00400);  // UB 0x01000..0x01800, 2 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free again
        XGm y_in(y + int64_t(index_here) * 256);
        TLOAD(old, y_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(added0_buffer));
        wait_flag(PIPE_MTE2, PIPE_V, event_t(added0_buffer));
        TADD(old, old, src_tile);
        set_flag(PIPE_V, PIPE_MTE3, event_t(added0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(added0_buffer));
        XGm y_out(y + int64_t(index_here) * 256);
        TSTORE(y_out, old);
        set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
        added0_buffer ^= 1;
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void index_add(
    __gm__ float *y, __gm__ float *x, __gm__ int32_t *index, __gm__ float *src, int32_t rows, int32_t added,
    int32_t nblk)
{
    run_block(y, x, index, src, rows, added, nblk, static_cast<int32_t>(get_block_idx()));
}
