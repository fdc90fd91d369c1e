// group_vec3: vector kernel of `moe_select_groups` for a2a3. Made by pyptogen; change the spec, not this file.
// stages group; tiles t 32; memory UB 26624 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_256x8_c2 = Tile<TileType::Vec, float, 256, 8, BLayout::RowMajor, DYNAMIC, 2>;
using VecF32_256x1 = Tile<TileType::Vec, float, 256, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_1x256 = Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, DYNAMIC>;
using BestGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 2>, Stride<1, 1, 1, 2, 1>>;
using G1Gm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ float *g_1,
    __gm__ float *best,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 32; t0 < t_end; t0 += nblk * 32, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        // g, group: topk(sum(best, axis=-1), kept)
        VecF32_256x8_c2 best_tile(t0_valid * 8); TASSIGN(best_tile, 0x00000 + t0_buffer * 0x02000);  // UB 0x00000..0x04000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        BestGm best_in(best + int64_t(t0) * 16, {t0_valid * 8});
        TLOAD(best_tile, best_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_256x1 g_1_tile(t0_valid * 8); TASSIGN(g_1_tile, 0x04000 + t0_buffer * 0x00400);  // UB 0x04000..0x04800, 2 copies
        VecF32_256x8_c2 g_1_tile_tmp(t0_valid * 8); TASSIGN<0x04800>(g_1_tile_tmp);  // UB 0x04800..0x06800
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TROWSUM(g_1_tile, best_tile, g_1_tile_tmp);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecF32_1x256 g_1_tile_row(t0_valid * 8); TASSIGN(g_1_tile_row, 0x04000 + t0_buffer * 0x00400);  // as a row, same bytes as g_1_tile
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        G1Gm g_1_out(g_1 + int64_t(t0) * 8, {t0_valid * 8});
        TSTORE(g_1_out, g_1_tile_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void group_vec3(
    __gm__ float *g_1, __gm__ float *best, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(g_1, best, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
