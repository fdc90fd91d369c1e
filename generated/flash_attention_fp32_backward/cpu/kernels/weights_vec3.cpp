// weights_vec3: vector kernel of `flash_attention_fp32_backward` for cpu. Made by pyptogen; change the spec, not this file.
// stages weights; tiles i1 1024, i2 4; memory UB 96 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using PEGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using PSumGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
}  // namespace

extern "C" __global__ AICORE void weights_vec3(
    __gm__ float *p_sum,
    __gm__ float *p_e,
    int32_t sq,
    int32_t kv,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i2 = block * 4; i2 < sq * 8; i2 += nblk * 4) {
        const int32_t i2_valid = sq * 8 - i2 < 4 ? sq * 8 - i2 : 4;
        // p: softmax(s)
        VecF32_1x8 total_row(i2_valid); TASSIGN(total_row, 0x00000);  // as a row, same bytes as total
        TEXPANDS(total_row, 0.0f);
        for (int32_t i1 = 0; i1 < kv; i1 += 1024) {
            const int32_t i1_valid = kv - i1 < 1024 ? kv - i1 : 1024;
            VecF32_8x1 found(i2_valid); TASSIGN(found, 0x00040);  // UB 0x00040..0x00060
            PEGm p_e_in(p_e + int64_t(i1) + int64_t(i2) * kv, {i2_valid, i1_valid}, {int64_t(kv)});
            TPASS(i2_valid, i1_valid, [&](auto at, auto &found_sum) {
                const auto part = at.load(p_e_in);
                found_sum.take(at, part);
            }, RowSum(found));
            VecF32_1x8 found_row(i2_valid); TASSIGN(found_row, 0x00040);  // as a row, same bytes as found
            TADD(total_row, total_row, found_row);
        }
        PSumGm p_sum_out(p_sum + int64_t(i2), {i2_valid});
        TSTORE(p_sum_out, total_row);
    }
#endif
}
