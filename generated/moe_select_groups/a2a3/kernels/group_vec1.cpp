// group_vec1: vector kernel of `moe_select_groups` for a2a3. Made by pyptogen; change the spec, not this file.
// stages group; tiles best_order_at 1, best_order_rows 16; memory UB 12416 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x32 = Tile<TileType::Vec, int32_t, 1, 32, BLayout::RowMajor, 1, 32>;
using VecF32_16x32 = Tile<TileType::Vec, float, 16, 32, BLayout::RowMajor, DYNAMIC, 32>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32>;
using VecU32_1x32 = Tile<TileType::Vec, uint32_t, 1, 32, BLayout::RowMajor, 1, 32>;
using VecF32_16x64 = Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_16x32_c2 = Tile<TileType::Vec, float, 16, 32, BLayout::RowMajor, DYNAMIC, 2>;
using CGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 32>, Stride<1, 1, 1, 32, 1>>;
using BestGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 2>, Stride<1, 1, 1, 2, 1>>;

AICORE inline void run_block(
    __gm__ float *best,
    __gm__ float *c,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t best_order_rows0_buffer = 0;  // which of 2 buffers this iteration of best_order_rows0 uses
    // best, best_at: topk(c, 2)
    VecI32_1x32 positions; TASSIGN<0x01000>(positions);  // UB 0x01000..0x01080
    TCI<VecI32_1x32, int32_t, 0>(positions, 0);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t best_order_rows0 = block * 16; best_order_rows0 < t * 8; best_order_rows0 += nblk * 16, best_order_rows0_buffer ^= 1) {
        const int32_t best_order_rows0_valid = t * 8 - best_order_rows0 < 16 ? t * 8 - best_order_rows0 : 16;
        VecF32_16x32 c_tile(best_order_rows0_valid); TASSIGN(c_tile, 0x00000 + best_order_rows0_buffer * 0x00800);  // UB 0x00000..0x01000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(best_order_rows0_buffer));  // free again
        CGm c_in(c + int64_t(best_order_rows0) * 32, {best_order_rows0_valid});
        TLOAD(c_tile, c_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(best_order_rows0_buffer));
        wait_flag(PIPE_MTE2, PIPE_V, event_t(best_order_rows0_buffer));
        for (int32_t best_order_at = 0; best_order_at < best_order_rows0_valid; ++best_order_at) {
            VecF32_1x64 best_order_line; TASSIGN(best_order_line, 0x02080 + best_order_at * 0x00100);  // rows best_order_at.. of best_order
            VecF32_1x32 c_tile_line; TASSIGN(c_tile_line, 0x00000 + best_order_at * 0x00080 + best_order_rows0_buffer * 0x00800);  // rows best_order_at.. of c_tile
            VecU32_1x32 positions_uint32; TASSIGN<0x01000>(positions_uint32);  // same bytes as positions
            pipe_barrier(PIPE_V);
            TSORT32(best_order_line, c_tile_line, positions_uint32);
        }
        set_flag(PIPE_V, PIPE_MTE2, event_t(best_order_rows0_buffer));
        VecF32_16x64 best_order(best_order_rows0_valid); TASSIGN<0x02080>(best_order);  // UB 0x02080..0x03080
        VecF32_16x32 best_tile(best_order_rows0_valid); TASSIGN(best_tile, 0x01080 + best_order_rows0_buffer * 0x00800);  // UB 0x01080..0x02080, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(best_order_rows0_buffer));  // free again
        TGATHER<VecF32_16x32, VecF32_16x64, MaskPattern::P0101>(best_tile, best_order);
        set_flag(PIPE_V, PIPE_MTE3, event_t(best_order_rows0_buffer));
        VecF32_16x32_c2 best_tile_first(best_order_rows0_valid); TASSIGN(best_tile_first, 0x01080 + best_order_rows0_buffer * 0x00800);  // columns 0.. of best_tile
        wait_flag(PIPE_V, PIPE_MTE3, event_t(best_order_rows0_buffer));
        BestGm best_out(best + int64_t(best_order_rows0) * 2, {best_order_rows0_valid});
        TSTORE(best_out, best_tile_first);
        set_flag(PIPE_MTE3, PIPE_V, event_t(best_order_rows0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void group_vec1(__gm__ float *best, __gm__ float *c, int32_t t, int32_t nblk)
{
    run_block(best, c, t, nblk, static_cast<int32_t>(get_block_idx()));
}
