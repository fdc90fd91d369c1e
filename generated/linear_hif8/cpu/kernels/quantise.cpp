// quantise: vector kernel of `linear_hif8` for cpu. Made by pyptogen; change the spec, not this file.
// stages quantise; tiles t 2; memory UB 20480 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_2x2048 = Tile<TileType::Vec, float, 2, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using VecHif8_2x2048 = Tile<TileType::Vec, hifloat8_t, 2, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 2048>, Stride<1, 1, 1, 2048, 1>>;
using XQGm = GlobalTensor<hifloat8_t, Shape<1, 1, 1, DYNAMIC, 2048>, Stride<1, 1, 1, 2048, 1>>;
}  // namespace

extern "C" __global__ AICORE void quantise(
    __gm__ hifloat8_t *x_q,
    __gm__ bfloat16_t *x,
    float x_scale,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block * 2; t0 < t_end; t0 += nblk * 2) {
        const int32_t t0_valid = t_end - t0 < 2 ? t_end - t0 : 2;
        VecF32_2x2048 x_q_2(t0_valid); TASSIGN(x_q_2, 0x00000);  // UB 0x00000..0x04000
        XGm x_in(x + int64_t(t0) * 2048, {t0_valid});
        TPASS(t0_valid, 2048, [&](auto at) {
            // x_q: cast(cast(x, fp32) / x_scale, hif8)
            const auto x_tile = at.load(x_in);
            const auto x_q_2_v = x_tile / at.all(x_scale);
            at.store(x_q_2, x_q_2_v);
        });
        VecHif8_2x2048 x_q_tile(t0_valid); TASSIGN(x_q_tile, 0x04000);  // UB 0x04000..0x05000
        TCVT(x_q_tile, x_q_2, RoundMode::CAST_RINT);
        XQGm x_q_out(x_q + int64_t(t0) * 2048, {t0_valid});
        TSTORE(x_q_out, x_q_tile);
    }
#endif
}
