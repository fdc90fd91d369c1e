// matmul_swizzle: cube kernel of `matmul_swizzle` for cpu. Made by pyptogen; change the spec, not this file.
// stages matmul_swizzle; tiles m 256, n 256; memory L0A 1048576 B, L0B 1048576 B, L0C 262144 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftB16_256x2048 = TileLeft<bfloat16_t, 256, 2048, DYNAMIC, 2048>;
using RightB16_2048x256 = TileRight<bfloat16_t, 2048, 256, 2048, 256>;
using AccF32_256x256 = TileAcc<float, 256, 256, DYNAMIC, 256>;
using AGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 2048>, Stride<1, 1, 1, 2048, 1>>;
using BGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 2048, 256>, Stride<1, 1, 1, 65536, 1>, Layout::CPU_PACKED>;
using CGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 4096, 1>>;
}  // namespace

extern "C" __global__ AICORE void matmul_swizzle(
    __gm__ bfloat16_t *c,
    __gm__ bfloat16_t *a,
    __gm__ bfloat16_t *b,
    int32_t m_begin,
    int32_t m_end,
    int32_t nblk)
{
#if defined(__DAV_CUBE__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t m0 = m_begin; m0 < m_end; m0 += 256) {
        const int32_t m0_valid = m_end - m0 < 256 ? m_end - m0 : 256;
        // c: matmul(a, b, dtype=bf16)
        LeftB16_256x2048 a_tile(m0_valid); TASSIGN(a_tile, 0x00000);  // L0A 0x00000..0x100000
        AGm a_in(a + int64_t(m0) * 2048, {m0_valid});
        TLOAD(a_tile, a_in);
        for (int32_t n0 = block * 256; n0 < 4096; n0 += nblk * 256) {
            RightB16_2048x256 b_tile; TASSIGN(b_tile, 0x00000);  // L0B 0x00000..0x100000
            BGm b_in(b + int64_t(n0) * 2048);
            TLOAD(b_tile, b_in);
            AccF32_256x256 c_acc(m0_valid); TASSIGN(c_acc, 0x00000);  // L0C 0x00000..0x40000
            TMATMUL(c_acc, a_tile, b_tile);
            CGm c_out(c + int64_t(m0) * 4096 + int64_t(n0), {m0_valid});
            TSTORE(c_out, c_acc);
        }
    }
#endif
}
