// matmul_fp32_backward_cube2: cube kernel of `matmul_fp32_backward` for cpu. Made by pyptogen; change the spec, not this file.
// stages matmul_fp32_backward; tiles k 256, m 2048, n 256; memory L0A 2097152 B, L0B 2097152 B, L0C 262144 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_256x256 = TileAcc<float, 256, 256, 256, 256>;
using LeftF32_256x2048 = TileLeft<float, 256, 2048, 256, DYNAMIC>;
using RightF32_2048x256 = TileRight<float, 2048, 256, DYNAMIC, 256>;
using AGm = GlobalTensor<float, Shape<1, 1, 1, 256, DYNAMIC>, Stride<1, 1, 1, 1, 1024>, Layout::DN>;
using DCGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 1024, 1>>;
using DBGm = GlobalTensor<float, Shape<1, 1, 1, 256, 256>, Stride<1, 1, 1, 1024, 1>>;
}  // namespace

extern "C" __global__ AICORE void matmul_fp32_backward_cube2(
    __gm__ float *d_b,
    __gm__ float *a,
    __gm__ float *d_c,
    int32_t m,
    int32_t nblk)
{
#if defined(__DAV_CUBE__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t k0 = 0; k0 < 1024; k0 += 256) {
        for (int32_t n0 = block * 256; n0 < 1024; n0 += nblk * 256) {
            AccF32_256x256 d_b_acc; TASSIGN(d_b_acc, 0x00000);  // L0C 0x00000..0x40000
            for (int32_t m0 = 0; m0 < m; m0 += 2048) {
                const int32_t m0_valid = m - m0 < 2048 ? m - m0 : 2048;
                // d_b: matmul(a.T, d_c, dtype=fp32)
                LeftF32_256x2048 a_tile(m0_valid); TASSIGN(a_tile, 0x00000);  // L0A 0x00000..0x200000
                AGm a_in(a + int64_t(m0) * 1024 + int64_t(k0), {m0_valid});
                TLOAD(a_tile, a_in);
                RightF32_2048x256 d_c_tile(m0_valid); TASSIGN(d_c_tile, 0x00000);  // L0B 0x00000..0x200000
                DCGm d_c_in(d_c + int64_t(m0) * 1024 + int64_t(n0), {m0_valid});
                TLOAD(d_c_tile, d_c_in);
                if (m0 == 0) {
                    TMATMUL(d_b_acc, a_tile, d_c_tile);
                } else {
                    TMATMUL_ACC(d_b_acc, d_b_acc, a_tile, d_c_tile);
                }
            }
            DBGm d_b_out(d_b + int64_t(k0) * 1024 + int64_t(n0));
            TSTORE(d_b_out, d_b_acc);
        }
    }
#endif
}
