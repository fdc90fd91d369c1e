// index_add: vector kernel of `index_add` for a2a3. Made by pyptogen; change the spec, not this file.
// stages index_add; tiles i2 1, i3 1; memory UB 6144 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x256 = Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, 256>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, 1, 256>, Stride<1, 1, 1, 256, 1>>;
using SrcGm = GlobalTensor<float, Shape<1, 1, 1, 1, 256>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ float *y,
    __gm__ int32_t *index,
    __gm__ float *src,
    __gm__ float *x,
    int32_t rows,
    int32_t added,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);  // indices in GM may have changed
    int32_t i2_buffer = 0;  // which of 2 buffers this iteration of i2 uses
    int32_t i3_buffer = 0;  // which of 2 buffers this iteration of i3 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2);  // 2 buffers are free at first
    for (int32_t i2 = block; i2 < rows; i2 += nblk, i2_buffer ^= 1) {
        // y: index_add(x, 0, index, src)
        VecF32_1x256 part; TASSIGN(part, 0x00000 + i2_buffer * 0x00400);  // UB 0x00000..0x00800, 2 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(1 + i2_buffer));  // free again
        XGm x_in(x + int64_t(i2) * 256);
        TLOAD(part, x_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(i2_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(i2_buffer));
        XGm y_out(y + int64_t(i2) * 256);
        TSTORE(y_out, part);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(1 + i2_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2);  // drain: the last use of each of 2 buffers
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free at first
    for (int32_t i3 = 0; i3 < added; ++i3) {
        const int64_t place = index[int64_t(i3)];
        if (place / 1 % nblk != block) {  // another block's
            continue;
        }
        VecF32_1x256 part_2; TASSIGN(part_2, 0x00800 + i3_buffer * 0x00400);  // UB 0x00800..0x01000, 2 copies
        SrcGm src_in(src + int64_t(i3) * 256);
        TLOAD(part_2, src_in);
        VecF32_1x256 old; TASSIGN(old, 0x01000 + i3_buffer * 0x00400);  // UB 0x01000..0x01800, 2 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free again
        SrcGm y_in(y + int64_t(place) * 256);
        TLOAD(old, y_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(i3_buffer));
        wait_flag(PIPE_MTE2, PIPE_V, event_t(i3_buffer));
        TADD(old, old, part_2);
        set_flag(PIPE_V, PIPE_MTE3, event_t(i3_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i3_buffer));
        SrcGm y_out(y + int64_t(place) * 256);
        TSTORE(y_out, old);
        set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
        i3_buffer ^= 1;
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void index_add(
    __gm__ float *y, __gm__ int32_t *index, __gm__ float *src, __gm__ float *x, int32_t rows, int32_t added,
    int32_t nblk)
{
    run_block(y, index, src, x, rows, added, nblk, static_cast<int32_t>(get_block_idx()));
}
