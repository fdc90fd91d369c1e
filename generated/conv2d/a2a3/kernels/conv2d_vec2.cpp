// conv2d_vec2: vector kernel of `conv2d` for a2a3. Made by pyptogen; change the spec, not this file.
// stages conv2d; tiles y_padded_rows 384, y_padded_rows_2 438; memory UB 168192 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x384 = Tile<TileType::Vec, bfloat16_t, 1, 384, BLayout::RowMajor, 1, DYNAMIC>;
using VecB16_384x16_c1 = Tile<TileType::Vec, bfloat16_t, 384, 16, BLayout::RowMajor, DYNAMIC, 1>;
using VecB16_448x64_c56 = Tile<TileType::Vec, bfloat16_t, 448, 64, BLayout::RowMajor, DYNAMIC, 56>;
using YEdgeGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using YPaddedGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, 58, 1>>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 56>, Stride<1, 1, 1, 56, 1>>;
using YPaddedGm2 = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 56>, Stride<1, 1, 1, 58, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y_padded,
    __gm__ bfloat16_t *y_edge,
    __gm__ bfloat16_t *x,
    int32_t n,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t y_padded_rows0_buffer = 0;  // which of 3 buffers this iteration of y_padded_rows0 uses
    int32_t y_padded_rows_20_buffer = 0;  // which of 3 buffers this iteration of y_padded_rows_20 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 3 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // 3 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 3 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 3 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID4); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // 3 buffers are free at first
    for (int32_t y_padded_rows0 = block * 384; y_padded_rows0 < n * 3584; y_padded_rows0 += nblk * 384, y_padded_rows0_buffer = (y_padded_rows0_buffer + 1) % 3) {
        const int32_t y_padded_rows0_valid = n * 3584 - y_padded_rows0 < 384 ? n * 3584 - y_padded_rows0 : 384;
        // y: cast(relu(conv(x, w, strides=2, paddings=1, bias=bias, dtype=fp32)), bf16)
        VecB16_1x384 y_edge_tile_row(y_padded_rows0_valid); TASSIGN(y_edge_tile_row, 0x00000 + y_padded_rows0_buffer * 0x00300);  // as a row, same bytes as y_edge_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(y_padded_rows0_buffer));  // free again
        YEdgeGm y_edge_in(y_edge + int64_t(y_padded_rows0), {y_padded_rows0_valid});
        TLOAD(y_edge_tile_row, y_edge_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(y_padded_rows0_buffer));
        VecB16_384x16_c1 y_edge_tile_apart(y_padded_rows0_valid); TASSIGN(y_edge_tile_apart, 0x00900 + y_padded_rows0_buffer * 0x03000);  // UB 0x00900..0x09900, 3 copies
        VecB16_384x16_c1 y_edge_tile_apart_tmp(y_padded_rows0_valid); TASSIGN<0x12900>(y_edge_tile_apart_tmp);  // UB 0x12900..0x15900
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(y_padded_rows0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(3 + y_padded_rows0_buffer));  // free again
        TTRANS(y_edge_tile_apart, y_edge_tile_row, y_edge_tile_apart_tmp);
        set_flag(PIPE_V, PIPE_MTE3, event_t(3 + y_padded_rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(3 + y_padded_rows0_buffer));
        YPaddedGm y_padded_out(y_padded + int64_t(y_padded_rows0) * 58, {y_padded_rows0_valid});
        TSTORE(y_padded_out, y_edge_tile_apart);
        set_flag(PIPE_MTE3, PIPE_V, event_t(3 + y_padded_rows0_buffer));
        VecB16_384x16_c1 y_edge_tile_apart_2(y_padded_rows0_valid); TASSIGN(y_edge_tile_apart_2, 0x09900 + y_padded_rows0_buffer * 0x03000);  // UB 0x09900..0x12900, 3 copies
        VecB16_384x16_c1 y_edge_tile_apart_2_tmp(y_padded_rows0_valid); TASSIGN<0x12900>(y_edge_tile_apart_2_tmp);  // UB 0x12900..0x15900
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(y_padded_rows0_buffer));  // free again
        TTRANS(y_edge_tile_apart_2, y_edge_tile_row, y_edge_tile_apart_2_tmp);
        set_flag(PIPE_V, PIPE_MTE3, event_t(y_padded_rows0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(y_padded_rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(y_padded_rows0_buffer));
        YPaddedGm y_padded_out_2(y_padded + int64_t(y_padded_rows0) * 58 + 57, {y_padded_rows0_valid});
        TSTORE(y_padded_out_2, y_edge_tile_apart_2);
        set_flag(PIPE_MTE3, PIPE_V, event_t(y_padded_rows0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 3 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // drain: the last use of each of 3 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 3 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 3 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID4); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // drain: the last use of each of 3 buffers
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 3 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2);  // 3 buffers are free at first
    for (int32_t y_padded_rows_20 = block * 438; y_padded_rows_20 < n * 3584; y_padded_rows_20 += nblk * 438, y_padded_rows_20_buffer = (y_padded_rows_20_buffer + 1) % 3) {
        const int32_t y_padded_rows_20_valid = n * 3584 - y_padded_rows_20 < 438 ? n * 3584 - y_padded_rows_20 : 438;
        VecB16_448x64_c56 x_tile(y_padded_rows_20_valid); TASSIGN(x_tile, 0x00000 + y_padded_rows_20_buffer * 0x0db00);  // UB 0x00000..0x29100, 3 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(y_padded_rows_20_buffer));  // free again
        XGm x_in(x + int64_t(y_padded_rows_20) * 56, {y_padded_rows_20_valid});
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(y_padded_rows_20_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(y_padded_rows_20_buffer));
        YPaddedGm2 y_padded_out(y_padded + int64_t(y_padded_rows_20) * 58 + 1, {y_padded_rows_20_valid});
        TSTORE(y_padded_out, x_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(y_padded_rows_20_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 3 buffers
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2);  // drain: the last use of each of 3 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void conv2d_vec2(
    __gm__ bfloat16_t *y_padded, __gm__ bfloat16_t *y_edge, __gm__ bfloat16_t *x, int32_t n, int32_t nblk)
{
    run_block(y_padded, y_edge, x, n, nblk, static_cast<int32_t>(get_block_idx()));
}
