// layer_norm_backward_vec3: vector kernel of `layer_norm_backward` for cpu. Made by pyptogen; change the spec, not this file.
// stages layer_norm_backward; tiles i2 8, once 1; memory UB 32768 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x4096 = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, 4096>;
using DYGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 4096>, Stride<1, 1, 1, 4096, 1>>;
using DBetaGm = GlobalTensor<float, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void layer_norm_backward_vec3(
    __gm__ float *d_beta,
    __gm__ float *d_y,
    int32_t rows,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t once = block; once < 1; once += nblk) {
        // d_beta: sum(d_y, axis=0)
        VecF32_1x4096 total; TASSIGN(total, 0x00000);  // UB 0x00000..0x04000
        TEXPANDS(total, 0.0f);
        for (int32_t i2 = 0; i2 < rows; i2 += 8) {
            const int32_t i2_valid = rows - i2 < 8 ? rows - i2 : 8;
            VecF32_1x4096 found; TASSIGN(found, 0x04000);  // UB 0x04000..0x08000
            DYGm d_y_in(d_y + int64_t(i2) * 4096, {i2_valid});
            TPASS(i2_valid, 4096, [&](auto at, auto &found_sum) {
                const auto part = at.load(d_y_in);
                found_sum.take(at, part);
            }, ColSum(found));
            TADD(total, total, found);
        }
        DBetaGm d_beta_out(d_beta);
        TSTORE(d_beta_out, total);
    }
#endif
}
