// matmul_fp16: cube kernel of `matmul_fp16` for cpu. Made by pyptogen; change the spec, not this file.
// stages matmul_fp16; tiles m 256, n 128; memory L0A 524288 B, L0B 262144 B, L0C 131072 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftF16_256x1024 = TileLeft<half, 256, 1024, DYNAMIC, 1024>;
using RightF16_1024x128 = TileRight<half, 1024, 128, 1024, 128>;
using AccF32_256x128 = TileAcc<float, 256, 128, DYNAMIC, 128>;
using AGm = GlobalTensor<half, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 1024, 1>>;
using BGm = GlobalTensor<half, Shape<1, 1, 1, 1024, 128>, Stride<1, 1, 1, 32768, 1>, Layout::CPU_PACKED>;
using CGm = GlobalTensor<half, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 1024, 1>>;
}  // namespace

extern "C" __global__ AICORE void matmul_fp16(
    __gm__ half *c,
    __gm__ half *a,
    __gm__ half *b,
    int32_t m_begin,
    int32_t m_end,
    int32_t nblk)
{
#if defined(__DAV_CUBE__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t m0 = m_begin; m0 < m_end; m0 += 256) {
        const int32_t m0_valid = m_end - m0 < 256 ? m_end - m0 : 256;
        // c: matmul(a, b, dtype=fp16)
        LeftF16_256x1024 a_tile(m0_valid); TASSIGN(a_tile, 0x00000);  // L0A 0x00000..0x80000
        AGm a_in(a + int64_t(m0) * 1024, {m0_valid});
        TLOAD(a_tile, a_in);
        for (int32_t n0 = block * 128; n0 < 1024; n0 += nblk * 128) {
            RightF16_1024x128 b_tile; TASSIGN(b_tile, 0x00000);  // L0B 0x00000..0x40000
            BGm b_in(b + int64_t(n0) * 1024);
            TLOAD(b_tile, b_in);
            AccF32_256x128 c_acc(m0_valid); TASSIGN(c_acc, 0x00000);  // L0C 0x00000..0x20000
            TMATMUL(c_acc, a_tile, b_tile);
            CGm c_out(c + int64_t(m0) * 1024 + int64_t(n0), {m0_valid});
            TSTORE(c_out, c_acc);
        }
    }
#endif
}
