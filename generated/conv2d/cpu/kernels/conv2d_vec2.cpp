// conv2d_vec2: vector kernel of `conv2d` for cpu. Made by pyptogen; change the spec, not this file.
// stages conv2d; tiles i1 1024, i3 146, i4 1024; memory UB 2048 B
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
    for (int32_t i1 = n_begin * 3584 + block * 1024; i1 < n_end * 3584; i1 += nblk * 1024) {
        const int32_t i1_valid = n_end * 3584 - i1 < 1024 ? n_end * 3584 - i1 : 1024;
        // y: cast(relu(conv(x, w, strides=2, paddings=1, bias=bias, dtype=fp32)), bf16)
        VecB16_1x1024 part_row(i1_valid); TASSIGN(part_row, 0x00000);  // as a row, same bytes as part
        YEdgeGm y_edge_in(y_edge + int64_t(i1), {i1_valid});
        TLOAD(part_row, y_edge_in);
        VecB16_1024x1 part(i1_valid); TASSIGN(part, 0x00000);  // UB 0x00000..0x00800
        YPaddedGm y_padded_out(y_padded + int64_t(i1) * 58, {i1_valid});
        TSTORE(y_padded_out, part);
    }
    for (int32_t i3 = n_begin * 3584 + block * 146; i3 < n_end * 3584; i3 += nblk * 146) {
        const int32_t i3_valid = n_end * 3584 - i3 < 146 ? n_end * 3584 - i3 : 146;
        XGm x_in(x + int64_t(i3) * 56, {i3_valid});
        YPaddedGm2 y_padded_out(y_padded + int64_t(i3) * 58 + 1, {i3_valid});
        TCARRY(y_padded_out, x_in);
    }
    for (int32_t i4 = n_begin * 3584 + block * 1024; i4 < n_end * 3584; i4 += nblk * 1024) {
        const int32_t i4_valid = n_end * 3584 - i4 < 1024 ? n_end * 3584 - i4 : 1024;
        VecB16_1x1024 part_3_row(i4_valid); TASSIGN(part_3_row, 0x00000);  // as a row, same bytes as part_3
        YEdgeGm y_edge_in(y_edge + int64_t(i4), {i4_valid});
        TLOAD(part_3_row, y_edge_in);
        VecB16_1024x1 part_3(i4_valid); TASSIGN(part_3, 0x00000);  // UB 0x00000..0x00800
        YPaddedGm y_padded_out(y_padded + int64_t(i4) * 58 + 57, {i4_valid});
        TSTORE(y_padded_out, part_3);
    }
#endif
}
