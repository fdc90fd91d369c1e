// batched_matmul: cube kernel of `batched_matmul` for cpu. Made by pyptogen; change the spec, not this file.
// stages batched_matmul; tiles heads 1, m 512; memory L0A 262144 B, L0B 131072 B, L0C 524288 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftB16_512x256 = TileLeft<bfloat16_t, 512, 256, DYNAMIC, 256>;
using RightB16_256x256 = TileRight<bfloat16_t, 256, 256, 256, 256>;
using AccF32_512x256 = TileAcc<float, 512, 256, DYNAMIC, 256>;
using AGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 256, 1>>;
using BGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 256, 256>, Stride<1, 1, 1, 256, 1>>;
}  // namespace

extern "C" __global__ AICORE void batched_matmul(
    __gm__ bfloat16_t *c,
    __gm__ bfloat16_t *a,
    __gm__ bfloat16_t *b,
    int32_t m_begin,
    int32_t m_end,
    int32_t m,
    int32_t nblk)
{
#if defined(__DAV_CUBE__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t m0 = m_begin; m0 < m_end; m0 += 512) {
        const int32_t m0_valid = m_end - m0 < 512 ? m_end - m0 : 512;
        for (int32_t heads0 = block; heads0 < 16; heads0 += nblk) {
            // c: matmul(a, b, dtype=bf16)
            LeftB16_512x256 a_tile(m0_valid); TASSIGN(a_tile, 0x00000);  // L0A 0x00000..0x40000
            AGm a_in(a + int64_t(heads0) * m * 256 + int64_t(m0) * 256, {m0_valid});
            TLOAD(a_tile, a_in);
            RightB16_256x256 b_tile; TASSIGN(b_tile, 0x00000);  // L0B 0x00000..0x20000
            BGm b_in(b + int64_t(heads0) * 65536);
            TLOAD(b_tile, b_in);
            AccF32_512x256 c_acc(m0_valid); TASSIGN(c_acc, 0x00000);  // L0C 0x00000..0x80000
            TMATMUL(c_acc, a_tile, b_tile);
            AGm c_out(c + int64_t(heads0) * m * 256 + int64_t(m0) * 256, {m0_valid});
            TSTORE(c_out, c_acc);
        }
    }
#endif
}
