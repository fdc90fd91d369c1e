// product_vec: vector kernel of `matmul_split_k` for cpu. Made by pyptogen; change the spec, not this file.
// stages product; tiles m 64, n 128; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using CPartsGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 256, 1>>;
using CGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 256, 1>>;
}  // namespace

extern "C" __global__ AICORE void product_vec(
    __gm__ bfloat16_t *c,
    __gm__ float *c_parts,
    int32_t m_begin,
    int32_t m_end,
    int32_t m,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(m_end - m_begin) * 512);  // c: around the cache if large
    for (int32_t m0 = m_begin; m0 < m_end; m0 += 64) {
        const int32_t m0_valid = m_end - m0 < 64 ? m_end - m0 : 64;
        for (int32_t n0 = block * 128; n0 < 256; n0 += nblk * 128) {
            CPartsGm c_parts_in(c_parts + int64_t(m0) * 256 + int64_t(n0), {m0_valid});
            CPartsGm c_parts_in_2(c_parts + int64_t(m) * 256 + int64_t(m0) * 256 + int64_t(n0), {m0_valid});
            CGm c_out(c + int64_t(m0) * 256 + int64_t(n0), {m0_valid});
            TPASS(m0_valid, 128, [&](auto at) {
                // c: matmul(a, b, dtype=bf16)
                const auto c_parts_tile = at.load(c_parts_in);
                const auto c_parts_tile_2 = at.load(c_parts_in_2);
                const auto c_add = c_parts_tile + c_parts_tile_2;
                at.store(c_out, c_add, far);
            });
        }
    }
#endif
}
