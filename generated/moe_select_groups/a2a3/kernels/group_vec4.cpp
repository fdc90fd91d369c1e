// group_vec4: vector kernel of `moe_select_groups` for a2a3. Made by pyptogen; change the spec, not this file.
// stages group; tiles group_order_at 1, t 8; memory UB 6272 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x32 = Tile<TileType::Vec, int32_t, 1, 32, BLayout::RowMajor, 1, 32>;
using VecF32_8x32_c8 = Tile<TileType::Vec, float, 8, 32, BLayout::RowMajor, DYNAMIC, 8>;
using VecF32_8x32_min = Tile<TileType::Vec, float, 8, 32, BLayout::RowMajor, DYNAMIC, 32, SLayout::NoneBox, 512, PadValue::Min>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32>;
using VecU32_1x32 = Tile<TileType::Vec, uint32_t, 1, 32, BLayout::RowMajor, 1, 32>;
using VecI32_8x64 = Tile<TileType::Vec, int32_t, 8, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecI32_8x32 = Tile<TileType::Vec, int32_t, 8, 32, BLayout::RowMajor, DYNAMIC, 32>;
using VecI32_8x32_c4 = Tile<TileType::Vec, int32_t, 8, 32, BLayout::RowMajor, DYNAMIC, 4>;
using G1Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 8>, Stride<1, 1, 1, 8, 1>>;
using GroupGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 4>, Stride<1, 1, 1, 4, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *group,
    __gm__ float *g_1,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    // g, group: topk(sum(best, axis=-1), kept)
    VecI32_1x32 positions; TASSIGN<0x00000>(positions);  // UB 0x00000..0x00080
    TCI<VecI32_1x32, int32_t, 0>(positions, 0);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = block * 8; t0 < t; t0 += nblk * 8, t0_buffer ^= 1) {
        const int32_t t0_valid = t - t0 < 8 ? t - t0 : 8;
        VecF32_8x32_c8 g_1_tile(t0_valid); TASSIGN(g_1_tile, 0x00880 + t0_buffer * 0x00400);  // columns 0.. of g_1_tile_whole
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        G1Gm g_1_in(g_1 + int64_t(t0) * 8, {t0_valid});
        TLOAD(g_1_tile, g_1_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_8x32_min g_1_tile_whole_padded(t0_valid); TASSIGN(g_1_tile_whole_padded, 0x00880 + t0_buffer * 0x00400);  // same bytes as g_1_tile_whole
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TFILLPAD_INPLACE(g_1_tile_whole_padded, g_1_tile);
        for (int32_t group_order_at = 0; group_order_at < t0_valid; ++group_order_at) {
            VecF32_1x64 group_order_line; TASSIGN(group_order_line, 0x01080 + group_order_at * 0x00100);  // rows group_order_at.. of group_order
            VecF32_1x32 g_1_tile_whole_line; TASSIGN(g_1_tile_whole_line, 0x00880 + group_order_at * 0x00080 + t0_buffer * 0x00400);  // rows group_order_at.. of g_1_tile_whole
            VecU32_1x32 positions_uint32; TASSIGN<0x00000>(positions_uint32);  // same bytes as positions
            pipe_barrier(PIPE_V);
            TSORT32(group_order_line, g_1_tile_whole_line, positions_uint32);
        }
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecI32_8x64 group_order_int32(t0_valid); TASSIGN<0x01080>(group_order_int32);  // same bytes as group_order
        VecI32_8x32 group_tile(t0_valid); TASSIGN(group_tile, 0x00080 + t0_buffer * 0x00400);  // UB 0x00080..0x00880, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TGATHER<VecI32_8x32, VecI32_8x64, MaskPattern::P1010>(group_tile, group_order_int32);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        VecI32_8x32_c4 group_tile_first(t0_valid); TASSIGN(group_tile_first, 0x00080 + t0_buffer * 0x00400);  // columns 0.. of group_tile
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        GroupGm group_out(group + int64_t(t0) * 4, {t0_valid});
        TSTORE(group_out, group_tile_first);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void group_vec4(__gm__ int32_t *group, __gm__ float *g_1, int32_t t, int32_t nblk)
{
    run_block(group, g_1, t, nblk, static_cast<int32_t>(get_block_idx()));
}
