// index_add: vector kernel of `index_add` for a2a3. Made by pyptogen; change the spec, not this file.
// stages index_add; tiles i1 6144, i2 1; memory UB 53248 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x6144 = Tile<TileType::Vec, float, 1, 6144, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x256 = Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, 256>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
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
    int32_t i1_buffer = 0;  // which of 2 buffers this iteration of i1 uses
    int32_t i2_buffer = 0;  // which of 2 buffers this iteration of i2 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2);  // 2 buffers are free at first
    for (int32_t i1 = 0; i1 < rows * 256; i1 += 6144, i1_buffer ^= 1) {
        const int32_t i1_valid = rows * 256 - i1 < 6144 ? rows * 256 - i1 : 6144;
        // y: index_add(x, 0, index, src)
        VecF32_1x6144 part(i1_valid); TASSIGN(part, 0x00000 + i1_buffer * 0x06000);  // UB 0x00000..0x0c000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(1 + i1_buffer));  // free again
        XGm x_in(x + int64_t(i1), {i1_valid});
        TLOAD(part, x_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(i1_buffer));
        pipe_barrier(PIPE_MTE3);
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(i1_buffer));
        XGm y_out(y + int64_t(i1), {i1_valid});
        TSTORE(y_out, part);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(1 + i1_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2);  // drain: the last use of each of 2 buffers
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free at first
    for (int32_t i2 = 0; i2 < added; ++i2, i2_buffer ^= 1) {
        const int64_t place = index[int64_t(i2)];
        VecF32_1x256 part_2; TASSIGN(part_2, 0x0c000 + i2_buffer * 0x00400);  // UB 0x0c000..0x0c800, 2 copies
        SrcGm src_in(src + int64_t(i2) * 256);
        TLOAD(part_2, src_in);
        VecF32_1x256 old; TASSIGN(old, 0x0c800 + i2_buffer * 0x00400);  // UB 0x0c800..0x0d000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free again
        SrcGm y_in(y + int64_t(place) * 256);
        TLOAD(old, y_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
        wait_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
        TADD(old, old, part_2);
        set_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
        SrcGm y_out(y + int64_t(place) * 256);
        TSTORE(y_out, old);
        set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
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
