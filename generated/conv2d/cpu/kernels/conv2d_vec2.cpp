// conv2d_vec2: vector kernel of `conv2d` for cpu. Made by pyptogen; change the spec, not this file.
// stages conv2d; tiles y_padded_rows 1024, y_padded_rows_2 146; memory UB 2048 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x1024 = Tile<TileType::Vec, bfloat16_t, 1, 1024, BLayout::RowMajor, 1, DYNAMIC>;
using VecB16_1024x1 = Tile<TileType::Vec, bfloat16_t, 1024, 1, BLayout::ColMajor, DYNAMIC, 1>;
using YEdgeGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using YPaddedGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, 58, 1>>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 56>, Stride<1, 1, 1, 56, 1>>;
using YPaddedGm2 = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 56>, Stride<1, 1, 1, 58, 1>>;
}  // namespace

extern "C" __global__ AICORE void conv2d_vec2(
    __gm__ bfloat16_t *y_padded,
    __gm__ bfloat16_t *y_edge,
    __gm__ bfloat16_t *x,
    int32_t n_begin,
    int32_t n_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t y_padded_rows0 = n_begin * 3584 + block * 1024; y_padded_rows0 < n_end * 3584; y_padded_rows0 += nblk * 1024) {
        const int32_t y_padded_rows0_valid = n_end * 3584 - y_padded_rows0 < 1024 ? n_end * 3584 - y_padded_rows0 : 1024;
        // y: cast(relu(conv(x, w, strides=2, paddings=1, bias=bias, dtype=fp32)), bf16)
        VecB16_1x1024 y_edge_tile_row(y_padded_rows0_valid); TASSIGN(y_edge_tile_row, 0x00000);  // as a row, same bytes as y_edge_tile
        YEdgeGm y_edge_in(y_edge + int64_t(y_padded_rows0), {y_padded_rows0_valid});
        TLOAD(y_edge_tile_row, y_edge_in);
        VecB16_1024x1 y_edge_tile(y_padded_rows0_valid); TASSIGN(y_edge_tile, 0x00000);  // UB 0x00000..0x00800
        YPaddedGm y_padded_out(y_padded + int64_t(y_padded_rows0) * 58, {y_padded_rows0_valid});
        TSTORE(y_padded_out, y_edge_tile);
        YPaddedGm y_padded_out_2(y_padded + int64_t(y_padded_rows0) * 58 + 57, {y_padded_rows0_valid});
        TSTORE(y_padded_out_2, y_edge_tile);
    }
    for (int32_t y_padded_rows_20 = n_begin * 3584 + block * 146; y_padded_rows_20 < n_end * 3584; y_padded_rows_20 += nblk * 146) {
        const int32_t y_padded_rows_20_valid = n_end * 3584 - y_padded_rows_20 < 146 ? n_end * 3584 - y_padded_rows_20 : 146;
        XGm x_in(x + int64_t(y_padded_rows_20) * 56, {y_padded_rows_20_valid});
        YPaddedGm2 y_padded_out(y_padded + int64_t(y_padded_rows_20) * 58 + 1, {y_padded_rows_20_valid});
        TCARRY(y_padded_out, x_in);
    }
#endif
}
