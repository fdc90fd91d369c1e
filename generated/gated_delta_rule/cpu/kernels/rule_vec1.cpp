// rule_vec1: vector kernel of `gated_delta_rule` for cpu. Made by pyptogen; change the spec, not this file.
// stages rule; tiles i2 64, i3 1; memory UB 24576 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x32 = Tile<TileType::Vec, float, 64, 32, BLayout::RowMajor, DYNAMIC, 32>;
using VecF32_32x64 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, 32, DYNAMIC>;
using GGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 32>, Stride<1, 1, 1, 32, 1>>;
using OGGm = GlobalTensor<float, Shape<1, 1, 1, 32, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void rule_vec1(
    __gm__ float *o_g,
    __gm__ float *g,
    int32_t b,
    int32_t s,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i3 = block; i3 < b; i3 += nblk) {
        for (int32_t i2 = 0; i2 < s; i2 += 64) {
            const int32_t i2_valid = s - i2 < 64 ? s - i2 : 64;
            // o, state_end: gated_delta_rule(q_n, k_n, v, g, beta, state_t, scale=1)
            VecF32_64x32 part(i2_valid); TASSIGN(part, 0x00000);  // UB 0x00000..0x02000
            GGm g_in(g + int64_t(i2) * 32 + int64_t(i3) * s * 32, {i2_valid});
            TLOAD(part, g_in);
            VecF32_32x64 transposed(i2_valid); TASSIGN(transposed, 0x02000);  // UB 0x02000..0x04000
            VecF32_64x32 transposed_tmp(i2_valid); TASSIGN(transposed_tmp, 0x04000);  // UB 0x04000..0x06000
            TTRANS(transposed, part, transposed_tmp);
            OGGm o_g_out(o_g + int64_t(i3) * s * 32 + int64_t(i2), {i2_valid}, {int64_t(s)});
            TSTORE(o_g_out, transposed);
        }
    }
#endif
}
