// matmul_transposed: cube kernel of `matmul_transposed` for cpu. Made by pyptogen; change the spec, not this file.
// stages matmul_transposed; tiles m 256; memory L0A 262144 B, L0B 262144 B, L0C 262144 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using RightB16_512x256 = TileRight<bfloat16_t, 512, 256, 512, 256>;
using LeftB16_256x512 = TileLeft<bfloat16_t, 256, 512, DYNAMIC, 512>;
using AccF32_256x256 = TileAcc<float, 256, 256, DYNAMIC, 256>;
using BGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 512, 256>, Stride<1, 1, 1, 1, 512>, Layout::DN>;
using AGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 1, DYNAMIC>, Layout::DN>;
using CGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 256, 1>>;
}  // namespace

extern "C" __global__ AICORE void matmul_transposed(
    __gm__ float *c,
    __gm__ bfloat16_t *a,
    __gm__ bfloat16_t *b,
    int32_t m_begin,
    int32_t m_end,
    int32_t m,
    int32_t nblk)
{
#if defined(__DAV_CUBE__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // c: matmul(a.T, b.T, dtype=fp32)
    RightB16_512x256 b_tile; TASSIGN(b_tile, 0x00000);  // L0B 0x00000..0x40000
    BGm b_in(b);
    TLOAD(b_tile, b_in);
    for (int32_t m0 = m_begin + block * 256; m0 < m_end; m0 += nblk * 256) {
        const int32_t m0_valid = m_end - m0 < 256 ? m_end - m0 : 256;
        LeftB16_256x512 a_tile(m0_valid); TASSIGN(a_tile, 0x00000);  // L0A 0x00000..0x40000
        AGm a_in(a + int64_t(m0), {m0_valid}, {int64_t(m)});
        TLOAD(a_tile, a_in);
        AccF32_256x256 c_acc(m0_valid); TASSIGN(c_acc, 0x00000);  // L0C 0x00000..0x40000
        TMATMUL(c_acc, a_tile, b_tile);
        CGm c_out(c + int64_t(m0) * 256, {m0_valid});
        TSTORE(c_out, c_acc);
    }
#endif
}
