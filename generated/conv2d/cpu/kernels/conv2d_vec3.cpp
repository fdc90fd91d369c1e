// conv2d_vec3: vector kernel of `conv2d` for cpu. Made by pyptogen; change the spec, not this file.
// stages conv2d; tiles y_padded_2_rows_2 141, y_padded_2_rows_3 2, y_padded_2_rows_4 141; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using YEdge2Gm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 58>, Stride<1, 1, 1, 58, 1>>;
using YPadded2Gm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 58>, Stride<1, 1, 1, 3364, 1>>;
using YPaddedGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 3248>, Stride<1, 1, 1, 3248, 1>>;
using YPadded2Gm2 = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 3248>, Stride<1, 1, 1, 3364, 1>>;
}  // namespace

extern "C" __global__ AICORE void conv2d_vec3(
    __gm__ bfloat16_t *y_padded_2,
    __gm__ bfloat16_t *y_edge_2,
    __gm__ bfloat16_t *y_padded,
    int32_t n_begin,
    int32_t n_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t y_padded_2_rows_20 = n_begin * 64 + block * 141; y_padded_2_rows_20 < n_end * 64; y_padded_2_rows_20 += nblk * 141) {
        const int32_t y_padded_2_rows_20_valid = n_end * 64 - y_padded_2_rows_20 < 141 ? n_end * 64 - y_padded_2_rows_20 : 141;
        YEdge2Gm y_edge_2_in(y_edge_2 + int64_t(y_padded_2_rows_20) * 58, {y_padded_2_rows_20_valid});
        YPadded2Gm y_padded_2_out(y_padded_2 + int64_t(y_padded_2_rows_20) * 3364, {y_padded_2_rows_20_valid});
        // y: cast(relu(conv(x, w, strides=2, paddings=1, bias=bias, dtype=fp32)), bf16)
        TCARRY(y_padded_2_out, y_edge_2_in);
    }
    for (int32_t y_padded_2_rows_30 = n_begin * 64 + block * 2; y_padded_2_rows_30 < n_end * 64; y_padded_2_rows_30 += nblk * 2) {
        const int32_t y_padded_2_rows_30_valid = n_end * 64 - y_padded_2_rows_30 < 2 ? n_end * 64 - y_padded_2_rows_30 : 2;
        YPaddedGm y_padded_in(y_padded + int64_t(y_padded_2_rows_30) * 3248, {y_padded_2_rows_30_valid});
        YPadded2Gm2 y_padded_2_out(y_padded_2 + int64_t(y_padded_2_rows_30) * 3364 + 58, {y_padded_2_rows_30_valid});
        TCARRY(y_padded_2_out, y_padded_in);
    }
    for (int32_t y_padded_2_rows_40 = n_begin * 64 + block * 141; y_padded_2_rows_40 < n_end * 64; y_padded_2_rows_40 += nblk * 141) {
        const int32_t y_padded_2_rows_40_valid = n_end * 64 - y_padded_2_rows_40 < 141 ? n_end * 64 - y_padded_2_rows_40 : 141;
        YEdge2Gm y_edge_2_in(y_edge_2 + int64_t(y_padded_2_rows_40) * 58, {y_padded_2_rows_40_valid});
        YPadded2Gm y_padded_2_out(y_padded_2 + int64_t(y_padded_2_rows_40) * 3364 + 3306, {y_padded_2_rows_40_valid});
        TCARRY(y_padded_2_out, y_edge_2_in);
    }
#endif
}
