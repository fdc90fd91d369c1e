// conv2d_vec1: vector kernel of `conv2d` for a2a3. Made by pyptogen; change the spec, not this file.
// stages conv2d; tiles c 1, n 1; memory UB 1024 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x64_c56 = Tile<TileType::Vec, bfloat16_t, 1, 64, BLayout::RowMajor, 1, 56>;
using VecB16_16x64_c58_r1 = Tile<TileType::Vec, bfloat16_t, 16, 64, BLayout::RowMajor, 1, 58>;
using YEdgeGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 56>, Stride<1, 1, 1, 0, 1>>;
using YEdge2Gm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 58>, Stride<1, 1, 1, 58, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y_edge,
    __gm__ bfloat16_t *y_edge_2,
    int32_t n_begin,
    int32_t n_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t c0_buffer = 0;  // which of 4 buffers this iteration of c0 uses
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    const int32_t tiles = (n_end - n_begin) * 64;  // of n0 and c0
    for (int32_t tile = block; tile < tiles; tile += nblk, c0_buffer = (c0_buffer + 1) % 4) {
        const int32_t n0 = n_begin + tile / 64;
        const int32_t c0 = tile % 64;
        // y: cast(relu(conv(x, w, strides=2, paddings=1, bias=bias, dtype=fp32)), bf16)
        VecB16_1x64_c56 y_edge_tile_row; TASSIGN(y_edge_tile_row, 0x00000 + c0_buffer * 0x00080);  // as a row, same bytes as y_edge_tile
        wait_flag(PIPE_MTE3, PIPE_V, event_t(c0_buffer));  // free again
        TEXPANDS(y_edge_tile_row, 0.0f);
        set_flag(PIPE_V, PIPE_MTE3, event_t(4 + c0_buffer));
        VecB16_16x64_c58_r1 y_edge_2_tile; TASSIGN(y_edge_2_tile, 0x00200 + c0_buffer * 0x00080);  // UB 0x00200..0x00400, 4 copies
        TEXPANDS(y_edge_2_tile, 0.0f);
        set_flag(PIPE_V, PIPE_MTE3, event_t(c0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(4 + c0_buffer));
        YEdgeGm y_edge_out(y_edge + int64_t(n0) * 3584 + int64_t(c0) * 56);
        TSTORE(y_edge_out, y_edge_tile_row);
        wait_flag(PIPE_V, PIPE_MTE3, event_t(c0_buffer));
        YEdge2Gm y_edge_2_out(y_edge_2 + int64_t(n0) * 3712 + int64_t(c0) * 58);
        TSTORE(y_edge_2_out, y_edge_2_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(c0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void conv2d_vec1(
    __gm__ bfloat16_t *y_edge, __gm__ bfloat16_t *y_edge_2, int32_t n_begin, int32_t n_end, int32_t nblk)
{
    run_block(y_edge, y_edge_2, n_begin, n_end, nblk, static_cast<int32_t>(get_block_idx()));
}
