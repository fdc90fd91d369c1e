// conv2d_vec1: vector kernel of `conv2d` for cpu. Made by pyptogen; change the spec, not this file.
// stages conv2d; tiles c 1, n 1; memory UB 256 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x64_c56 = Tile<TileType::Vec, bfloat16_t, 1, 64, BLayout::RowMajor, 1, 56>;
using VecB16_16x64_c58_r1 = Tile<TileType::Vec, bfloat16_t, 16, 64, BLayout::RowMajor, 1, 58>;
using YEdgeGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 56>, Stride<1, 1, 1, 0, 1>>;
using YEdge2Gm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 58>, Stride<1, 1, 1, 58, 1>>;
}  // namespace

extern "C" __global__ AICORE void conv2d_vec1(
    __gm__ bfloat16_t *y_edge,
    __gm__ bfloat16_t *y_edge_2,
    int32_t n_begin,
    int32_t n_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t n0 = n_begin; n0 < n_end; ++n0) {
        for (int32_t c0 = block; c0 < 64; c0 += nblk) {
            // y: cast(relu(conv(x, w, strides=2, paddings=1, bias=bias, dtype=fp32)), bf16)
            VecB16_1x64_c56 y_edge_tile_row; TASSIGN(y_edge_tile_row, 0x00000);  // as a row, same bytes as y_edge_tile
            TEXPANDS(y_edge_tile_row, 0.0f);
            VecB16_16x64_c58_r1 y_edge_2_tile; TASSIGN(y_edge_2_tile, 0x00080);  // UB 0x00080..0x00100
            TEXPANDS(y_edge_2_tile, 0.0f);
            YEdgeGm y_edge_out(y_edge + int64_t(n0) * 3584 + int64_t(c0) * 56);
            TSTORE(y_edge_out, y_edge_tile_row);
            YEdge2Gm y_edge_2_out(y_edge_2 + int64_t(n0) * 3712 + int64_t(c0) * 58);
            TSTORE(y_edge_2_out, y_edge_2_tile);
        }
    }
#endif
}
