// conv2d_vec3: vector kernel of `conv2d` for cpu. Made by pyptogen; change the spec, not this file.
// stages conv2d; tiles i2 141, i4 2, i6 141; memory UB 0 B
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
    for (int32_t i2 = n_begin * 64 + block * 141; i2 < n_end * 64; i2 += nblk * 141) {
        const int32_t i2_valid = n_end * 64 - i2 < 141 ? n_end * 64 - i2 : 141;
        YEdge2Gm y_edge_2_in(y_edge_2 + int64_t(i2) * 58, {i2_valid});
        YPadded2Gm y_padded_2_out(y_padded_2 + int64_t(i2) * 3364, {i2_valid});
        // y: cast(relu(conv(x, w, strides=2, paddings=1, bias=bias, dtype=fp32)), bf16)
        TCARRY(y_padded_2_out, y_edge_2_in);
    }
    for (int32_t i4 = n_begin * 64 + block * 2; i4 < n_end * 64; i4 += nblk * 2) {
        const int32_t i4_valid = n_end * 64 - i4 < 2 ? n_end * 64 - i4 : 2;
        YPaddedGm y_padded_in(y_padded + int64_t(i4) * 3248, {i4_valid});
        YPadded2Gm2 y_padded_2_out(y_padded_2 + int64_t(i4) * 3364 + 58, {i4_valid});
        TCARRY(y_padded_2_out, y_padded_in);
    }
    for (int32_t i6 = n_begin * 64 + block * 141; i6 < n_end * 64; i6 += nblk * 141) {
        const int32_t i6_valid = n_end * 64 - i6 < 141 ? n_end * 64 - i6 : 141;
        YEdge2Gm y_edge_2_in(y_edge_2 + int64_t(i6) * 58, {i6_valid});
        YPadded2Gm y_padded_2_out(y_padded_2 + int64_t(i6) * 3364 + 3306, {i6_valid});
        TCARRY(y_padded_2_out, y_edge_2_in);
    }
#endif
}
