// rms_norm_backward_vec2: vector kernel of `rms_norm_backward` for cpu. Made by pyptogen; change the spec, not this file.
// stages rms_norm_backward; tiles rows 8; memory UB 32768 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x4096 = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, 4096>;
using DGamma1Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 4096>, Stride<1, 1, 1, 4096, 1>>;
using DGammaGm = GlobalTensor<float, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void rms_norm_backward_vec2(
    __gm__ float *d_gamma,
    __gm__ float *d_gamma_1,
    int32_t rows,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // d_gamma: sum(d_y * n, axis=0)
    VecF32_1x4096 d_gamma_2; TASSIGN(d_gamma_2, 0x00000);  // UB 0x00000..0x04000
    TEXPANDS(d_gamma_2, 0.0f);
    for (int32_t rows0 = 0; rows0 < rows; rows0 += 8) {
        const int32_t rows0_valid = rows - rows0 < 8 ? rows - rows0 : 8;
        VecF32_1x4096 d_gamma_2_part; TASSIGN(d_gamma_2_part, 0x04000);  // UB 0x04000..0x08000
        DGamma1Gm d_gamma_1_in(d_gamma_1 + int64_t(rows0) * 4096, {rows0_valid});
        TPASS(rows0_valid, 4096, [&](auto at, auto &d_gamma_2_part_sum) {
            const auto d_gamma_1_tile = at.load(d_gamma_1_in);
            d_gamma_2_part_sum.take(at, d_gamma_1_tile);
        }, ColSum(d_gamma_2_part));
        TADD(d_gamma_2, d_gamma_2, d_gamma_2_part);
    }
    DGammaGm d_gamma_out(d_gamma);
    TSTORE(d_gamma_out, d_gamma_2);
#endif
}
