// argsort: vector kernel of `argsort` for a2a3. Made by pyptogen; change the spec, not this file.
// stages argsort; tiles i1 1; memory UB 163840 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x2048 = Tile<TileType::Vec, int32_t, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecF32_1x2048 = Tile<TileType::Vec, float, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecF32_1x4096 = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, 4096>;
using VecU32_1x2048 = Tile<TileType::Vec, uint32_t, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecF32_1x8192_c4096 = Tile<TileType::Vec, float, 1, 8192, BLayout::RowMajor, 1, 4096>;
using VecF32_1x8192 = Tile<TileType::Vec, float, 1, 8192, BLayout::RowMajor, 1, 8192>;
using VecI32_1x8192 = Tile<TileType::Vec, int32_t, 1, 8192, BLayout::RowMajor, 1, 8192>;
using VecI32_1x4096 = Tile<TileType::Vec, int32_t, 1, 4096, BLayout::RowMajor, 1, 4096>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, 1, 2048>, Stride<1, 1, 1, 1, 1>>;
using YGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *y,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t i1_buffer = 0;  // which of 2 buffers this iteration of i1 uses
    MrgSortExecutedNumList taken;  // how many pairs a merge took of each list
    // y: argsort(x)
    VecI32_1x2048 places; TASSIGN<0x00000>(places);  // UB 0x00000..0x02000
    TCI<VecI32_1x2048, int32_t, 0>(places, 0);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t i1 = block; i1 < rows; i1 += nblk, i1_buffer ^= 1) {
        VecF32_1x2048 part; TASSIGN(part, 0x02000 + i1_buffer * 0x02000);  // UB 0x02000..0x06000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + i1_buffer));  // free again
        XGm x_in(x + int64_t(i1) * 4096);
        TLOAD(part, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + i1_buffer));
        VecF32_1x2048 part_2; TASSIGN(part_2, 0x06000 + i1_buffer * 0x02000);  // UB 0x06000..0x0a000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));  // free again
        XGm x_in_2(x + int64_t(i1) * 4096 + 2048);
        TLOAD(part_2, x_in_2);
        set_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
        VecI32_1x2048 places_here; TASSIGN<0x12000>(places_here);  // UB 0x12000..0x14000
        TMOV(places_here, places);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + i1_buffer));
        TNEG(part, part);
        VecF32_1x4096 list_blocks; TASSIGN<0x14000>(list_blocks);  // UB 0x14000..0x18000
        VecU32_1x2048 places_here_uint32; TASSIGN<0x12000>(places_here_uint32);  // same bytes as places_here
        pipe_barrier(PIPE_V);
        TSORT32(list_blocks, part, places_here_uint32);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + i1_buffer));
        VecF32_1x8192_c4096 list; TASSIGN<0x18000>(list);  // columns 0.. of lists
        pipe_barrier(PIPE_V);
        TMRGSORT(list, list_blocks, 64);
        pipe_barrier(PIPE_V);
        TMRGSORT(list_blocks, list, 256);
        pipe_barrier(PIPE_V);
        TMRGSORT(list, list_blocks, 1024);
        TADDS(places_here, places_here, 2048);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
        TNEG(part_2, part_2);
        VecF32_1x4096 list_2_blocks; TASSIGN<0x14000>(list_2_blocks);  // UB 0x14000..0x18000
        pipe_barrier(PIPE_V);
        TSORT32(list_2_blocks, part_2, places_here_uint32);
        set_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));
        VecF32_1x8192_c4096 list_2; TASSIGN<0x1c000>(list_2);  // columns 4096.. of lists
        pipe_barrier(PIPE_V);
        TMRGSORT(list_2, list_2_blocks, 64);
        pipe_barrier(PIPE_V);
        TMRGSORT(list_2_blocks, list_2, 256);
        pipe_barrier(PIPE_V);
        TMRGSORT(list_2, list_2_blocks, 1024);
        VecF32_1x8192 lists; TASSIGN<0x18000>(lists);  // UB 0x18000..0x20000
        VecF32_1x8192 merged; TASSIGN<0x20000>(merged);  // UB 0x20000..0x28000
        pipe_barrier(PIPE_V);
        TMRGSORT<VecF32_1x8192, VecF32_1x8192, VecF32_1x8192_c4096, VecF32_1x8192_c4096, false>(lists, taken, merged, list, list_2);
        VecI32_1x8192 lists_int32; TASSIGN<0x18000>(lists_int32);  // same bytes as lists
        VecI32_1x4096 indices; TASSIGN(indices, 0x0a000 + i1_buffer * 0x04000);  // UB 0x0a000..0x12000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));  // free again
        TGATHER<VecI32_1x4096, VecI32_1x8192, MaskPattern::P1010>(indices, lists_int32);
        set_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        YGm y_out(y + int64_t(i1) * 4096);
        TSTORE(y_out, indices);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void argsort(__gm__ int32_t *y, __gm__ float *x, int32_t rows, int32_t nblk)
{
    run_block(y, x, rows, nblk, static_cast<int32_t>(get_block_idx()));
}
