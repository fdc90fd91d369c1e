// argsort: vector kernel of `argsort` for a2a3. Made by pyptogen; change the spec, not this file.
// stages argsort; tiles rows 1; memory UB 163840 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x4096 = Tile<TileType::Vec, int32_t, 1, 4096, BLayout::RowMajor, 1, 4096>;
using VecF32_1x4096 = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, 4096>;
using VecF32_1x8192 = Tile<TileType::Vec, float, 1, 8192, BLayout::RowMajor, 1, 8192>;
using VecU32_1x4096 = Tile<TileType::Vec, uint32_t, 1, 4096, BLayout::RowMajor, 1, 4096>;
using VecF32_1x8192_c4096 = Tile<TileType::Vec, float, 1, 8192, BLayout::RowMajor, 1, 4096>;
using VecI32_1x8192 = Tile<TileType::Vec, int32_t, 1, 8192, BLayout::RowMajor, 1, 8192>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 4096, 1>>;
using YGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 4096, 1>>;

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
    int32_t rows0_buffer = 0;  // which of 2 buffers this iteration of rows0 uses
    MrgSortExecutedNumList taken;  // how many pairs a merge took of each list
    // y: argsort(x)
    VecI32_1x4096 positions; TASSIGN<0x08000>(positions);  // UB 0x08000..0x0c000
    TCI<VecI32_1x4096, int32_t, 0>(positions, 0);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t rows0 = block; rows0 < rows; rows0 += nblk, rows0_buffer ^= 1) {
        VecF32_1x4096 x_tile; TASSIGN(x_tile, 0x00000 + rows0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));  // free again
        XGm x_in(x + int64_t(rows0) * 4096);
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        VecF32_1x4096 x_tile_neg; TASSIGN<0x14000>(x_tile_neg);  // UB 0x14000..0x18000
        wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        TNEG(x_tile_neg, x_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));
        VecF32_1x8192 y_order_blocks; TASSIGN<0x18000>(y_order_blocks);  // UB 0x18000..0x20000
        VecU32_1x4096 positions_uint32; TASSIGN<0x08000>(positions_uint32);  // same bytes as positions
        pipe_barrier(PIPE_V);
        TSORT32(y_order_blocks, x_tile_neg, positions_uint32);
        VecF32_1x8192 y_order; TASSIGN<0x20000>(y_order);  // UB 0x20000..0x28000
        pipe_barrier(PIPE_V);
        TMRGSORT(y_order, y_order_blocks, 64);
        pipe_barrier(PIPE_V);
        TMRGSORT(y_order_blocks, y_order, 256);
        pipe_barrier(PIPE_V);
        TMRGSORT(y_order, y_order_blocks, 1024);
        VecF32_1x8192 y_order_merged; TASSIGN<0x14000>(y_order_merged);  // UB 0x14000..0x1c000
        VecF32_1x8192_c4096 y_order_list; TASSIGN<0x20000>(y_order_list);  // columns 0.. of y_order
        VecF32_1x8192_c4096 y_order_list_2; TASSIGN<0x24000>(y_order_list_2);  // columns 4096.. of y_order
        pipe_barrier(PIPE_V);
        TMRGSORT<VecF32_1x8192, VecF32_1x8192, VecF32_1x8192_c4096, VecF32_1x8192_c4096, false>(y_order, taken, y_order_merged, y_order_list, y_order_list_2);
        VecI32_1x8192 y_order_int32; TASSIGN<0x20000>(y_order_int32);  // same bytes as y_order
        VecI32_1x4096 y_tile; TASSIGN(y_tile, 0x0c000 + rows0_buffer * 0x04000);  // UB 0x0c000..0x14000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));  // free again
        TGATHER<VecI32_1x4096, VecI32_1x8192, MaskPattern::P1010>(y_tile, y_order_int32);
        set_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        YGm y_out(y + int64_t(rows0) * 4096);
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void argsort(__gm__ int32_t *y, __gm__ float *x, int32_t rows, int32_t nblk)
{
    run_block(y, x, rows, nblk, static_cast<int32_t>(get_block_idx()));
}
