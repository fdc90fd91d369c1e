// matmul_fp32_backward_cube1: cube kernel of `matmul_fp32_backward` for cpu. Made by pyptogen; change the spec, not this file.
// stages matmul_fp32_backward; tiles k 256, m 256; memory L0A 1048576 B, L0B 1048576 B, L0C 262144 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftF32_256x1024 = TileLeft<float, 256, 1024, DYNAMIC, 1024>;
using RightF32_1024x256 = TileRight<float, 1024, 256, 1024, 256>;
using AccF32_256x256 = TileAcc<float, 256, 256, DYNAMIC, 256>;
using DCGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 1024, 1>>;
using BGm = GlobalTensor<float, Shape<1, 1, 1, 1024, 256>, Stride<1, 1, 1, 1, 1024>, Layout::DN>;
using DAGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 1024, 1>>;
}  // namespace

extern "C" __global__ AICORE void matmul_fp32_backward_cube1(
    __gm__ float *d_a,
    __gm__ float *d_c,
    __gm__ float *b,
    int32_t m_begin,
    int32_t m_end,
    int32_t nblk)
{
#if defined(__DAV_CUBE__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t m0 = m_begin + block * 256; m0 < m_end; m0 += nblk * 256) {
        const int32_t m0_valid = m_end - m0 < 256 ? m_end - m0 : 256;
        // d_a: matmul(d_c, b.T, dtype=fp32)
        LeftF32_256x1024 d_c_tile(m0_valid); TASSIGN(d_c_tile, 0x00000);  // L0A 0x00000..0x100000
        DCGm d_c_in(d_c + int64_t(m0) * 1024, {m0_valid});
        TLOAD(d_c_tile, d_c_in);
        for (int32_t k0 = 0; k0 < 1024; k0 += 256) {
            RightF32_1024x256 b_tile; TASSIGN(b_tile, 0x00000);  // L0B 0x00000..0x100000
            BGm b_in(b + int64_t(k0) * 1024);
            TLOAD(b_tile, b_in);
            AccF32_256x256 d_a_acc(m0_valid); TASSIGN(d_a_acc, 0x00000);  // L0C 0x00000..0x40000
            TMATMUL(d_a_acc, d_c_tile, b_tile);
            DAGm d_a_out(d_a + int64_t(m0) * 1024 + int64_t(k0), {m0_valid});
            TSTORE(d_a_out, d_a_acc);
        }
    }
#endif
}
