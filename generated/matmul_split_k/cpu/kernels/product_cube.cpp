// product_cube: cube kernel of `matmul_split_k` for cpu. Made by pyptogen; change the spec, not this file.
// stages product; tiles c_depth 512, c_part 1, m 64, n 128; memory L0A 65536 B, L0B 131072 B, L0C 32768 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_64x128 = TileAcc<float, 64, 128, DYNAMIC, 128>;
using LeftB16_64x512 = TileLeft<bfloat16_t, 64, 512, DYNAMIC, 512>;
using RightB16_512x128 = TileRight<bfloat16_t, 512, 128, 512, 128>;
using AGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 7168, 1>>;
using BGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 512, 128>, Stride<1, 1, 1, 229376, 1>, Layout::CPU_PACKED>;
using CPartsGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 256, 1>>;
}  // namespace

extern "C" __global__ AICORE void product_cube(
    __gm__ float *c_parts,
    __gm__ bfloat16_t *a,
    __gm__ bfloat16_t *b,
    int32_t m_begin,
    int32_t m_end,
    int32_t m,
    int32_t nblk)
{
#if defined(__DAV_CUBE__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t m0 = m_begin; m0 < m_end; m0 += 64) {
        const int32_t m0_valid = m_end - m0 < 64 ? m_end - m0 : 64;
        for (int32_t c_part0 = block; c_part0 < 2; c_part0 += nblk) {
            for (int32_t n0 = 0; n0 < 256; n0 += 128) {
                AccF32_64x128 c_parts_acc(m0_valid); TASSIGN(c_parts_acc, 0x00000);  // L0C 0x00000..0x08000
                for (int32_t c_depth0 = 0; c_depth0 < 3584; c_depth0 += 512) {
                    // c: matmul(a, b, dtype=bf16)
                    LeftB16_64x512 a_tile(m0_valid); TASSIGN(a_tile, 0x00000);  // L0A 0x00000..0x10000
                    AGm a_in(a + int64_t(m0) * 7168 + int64_t(c_part0) * 3584 + int64_t(c_depth0), {m0_valid});
                    TLOAD(a_tile, a_in);
                    RightB16_512x128 b_tile; TASSIGN(b_tile, 0x00000);  // L0B 0x00000..0x20000
                    BGm b_in(b + int64_t(c_part0) * 114688 + int64_t(n0) * 7168 + int64_t(c_depth0) * 32);
                    TLOAD(b_tile, b_in);
                    if (c_depth0 == 0) {
                        TMATMUL(c_parts_acc, a_tile, b_tile);
                    } else {
                        TMATMUL_ACC(c_parts_acc, c_parts_acc, a_tile, b_tile);
                    }
                }
                CPartsGm c_parts_out(c_parts + int64_t(c_part0) * m * 256 + int64_t(m0) * 256 + int64_t(n0), {m0_valid});
                TSTORE(c_parts_out, c_parts_acc);
            }
        }
    }
#endif
}
