// conv2d_vec3: vector kernel of `conv2d` for a2a3. Made by pyptogen; change the spec, not this file.
// stages conv2d; tiles y_padded_2_rows_2 105, y_padded_2_rows_3 12, y_padded_2_rows_4 211; memory UB 155904 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_105x64_c58 = Tile<TileType::Vec, bfloat16_t, 105, 64, BLayout::RowMajor, DYNAMIC, 58>;
using VecB16_12x3248 = Tile<TileType::Vec, bfloat16_t, 12, 3248, BLayout::RowMajor, DYNAMIC, 3248>;
using VecB16_211x64_c58 = Tile<TileType::Vec, bfloat16_t, 211, 64, BLayout::RowMajor, DYNAMIC, 58>;
using YEdge2Gm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 58>, Stride<1, 1, 1, 58, 1>>;
using YPadded2Gm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 58>, Stride<1, 1, 1, 3364, 1>>;
using YPaddedGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 3248>, Stride<1, 1, 1, 3248, 1>>;
using YPadded2Gm2 = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 3248>, Stride<1, 1, 1, 3364, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y_padded_2,
    __gm__ bfloat16_t *y_edge_2,
    __gm__ bfloat16_t *y_padded,
    int32_t n,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t y_padded_2_rows_20_buffer = 0;  // which of 2 buffers this iteration of y_padded_2_rows_20 uses
    int32_t y_padded_2_rows_30_buffer = 0;  // which of 2 buffers this iteration of y_padded_2_rows_30 uses
    int32_t y_padded_2_rows_40_buffer = 0;  // which of 2 buffers this iteration of y_padded_2_rows_40 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t y_padded_2_rows_20 = block * 105; y_padded_2_rows_20 < n * 64; y_padded_2_rows_20 += nblk * 105, y_padded_2_rows_20_buffer ^= 1) {
        const int32_t y_padded_2_rows_20_valid = n * 64 - y_padded_2_rows_20 < 105 ? n * 64 - y_padded_2_rows_20 : 105;
        // y: cast(relu(conv(x, w, strides=2, paddings=1, bias=bias, dtype=fp32)), bf16)
        VecB16_105x64_c58 y_edge_2_tile(y_padded_2_rows_20_valid); TASSIGN(y_edge_2_tile, 0x00000 + y_padded_2_rows_20_buffer * 0x03480);  // UB 0x00000..0x06900, 2 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(y_padded_2_rows_20_buffer));  // free again
        YEdge2Gm y_edge_2_in(y_edge_2 + int64_t(y_padded_2_rows_20) * 58, {y_padded_2_rows_20_valid});
        TLOAD(y_edge_2_tile, y_edge_2_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(y_padded_2_rows_20_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(y_padded_2_rows_20_buffer));
        YPadded2Gm y_padded_2_out(y_padded_2 + int64_t(y_padded_2_rows_20) * 3364, {y_padded_2_rows_20_valid});
        TSTORE(y_padded_2_out, y_edge_2_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(y_padded_2_rows_20_buffer));
    }
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2);
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2);
    for (int32_t y_padded_2_rows_30 = block * 12; y_padded_2_rows_30 < n * 64; y_padded_2_rows_30 += nblk * 12, y_padded_2_rows_30_buffer ^= 1) {
        const int32_t y_padded_2_rows_30_valid = n * 64 - y_padded_2_rows_30 < 12 ? n * 64 - y_padded_2_rows_30 : 12;
        VecB16_12x3248 y_padded_tile(y_padded_2_rows_30_valid); TASSIGN(y_padded_tile, 0x00000 + y_padded_2_rows_30_buffer * 0x13080);  // UB 0x00000..0x26100, 2 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(y_padded_2_rows_30_buffer));  // free again
        YPaddedGm y_padded_in(y_padded + int64_t(y_padded_2_rows_30) * 3248, {y_padded_2_rows_30_valid});
        TLOAD(y_padded_tile, y_padded_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(y_padded_2_rows_30_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(y_padded_2_rows_30_buffer));
        YPadded2Gm2 y_padded_2_out(y_padded_2 + int64_t(y_padded_2_rows_30) * 3364 + 58, {y_padded_2_rows_30_valid});
        TSTORE(y_padded_2_out, y_padded_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(y_padded_2_rows_30_buffer));
    }
    for (int32_t y_padded_2_rows_40 = block * 211; y_padded_2_rows_40 < n * 64; y_padded_2_rows_40 += nblk * 211, y_padded_2_rows_40_buffer ^= 1) {
        const int32_t y_padded_2_rows_40_valid = n * 64 - y_padded_2_rows_40 < 211 ? n * 64 - y_padded_2_rows_40 : 211;
        VecB16_211x64_c58 y_edge_2_tile_2(y_padded_2_rows_40_valid); TASSIGN(y_edge_2_tile_2, 0x00000 + y_padded_2_rows_40_buffer * 0x06980);  // UB 0x00000..0x0d300, 2 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(y_padded_2_rows_40_buffer));  // free again
        YEdge2Gm y_edge_2_in(y_edge_2 + int64_t(y_padded_2_rows_40) * 58, {y_padded_2_rows_40_valid});
        TLOAD(y_edge_2_tile_2, y_edge_2_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(y_padded_2_rows_40_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(y_padded_2_rows_40_buffer));
        YPadded2Gm y_padded_2_out(y_padded_2 + int64_t(y_padded_2_rows_40) * 3364 + 3306, {y_padded_2_rows_40_valid});
        TSTORE(y_padded_2_out, y_edge_2_tile_2);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(y_padded_2_rows_40_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void conv2d_vec3(
    __gm__ bfloat16_t *y_padded_2, __gm__ bfloat16_t *y_edge_2, __gm__ bfloat16_t *y_padded, int32_t n,
    int32_t nblk)
{
    run_block(y_padded_2, y_edge_2, y_padded, n, nblk, static_cast<int32_t>(get_block_idx()));
}
