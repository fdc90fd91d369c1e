// quantise_vec2: vector kernel of `linear_mxfp4` for cpu. Made by pyptogen; change the spec, not this file.
// stages quantise; tiles t 4; memory UB 24576 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecU8_4x1024 = Tile<TileType::Vec, uint8_t, 4, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using VecE2m1_4x2048 = Tile<TileType::Vec, float4_e2m1x2_t, 4, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using VecB16_4x2048 = Tile<TileType::Vec, bfloat16_t, 4, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using VecE4m3_4x2048 = Tile<TileType::Vec, float8_e4m3_t, 4, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using XQGm = GlobalTensor<uint8_t, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 1024, 1>>;
using XWideGm = GlobalTensor<float8_e4m3_t, Shape<1, 1, 1, DYNAMIC, 2048>, Stride<1, 1, 1, 2048, 1>>;
}  // namespace

extern "C" __global__ AICORE void quantise_vec2(
    __gm__ float8_e4m3_t *x_wide,
    __gm__ uint8_t *x_q,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block * 4; t0 < t_end; t0 += nblk * 4) {
        const int32_t t0_valid = t_end - t0 < 4 ? t_end - t0 : 4;
        // x_wide: cast(x_q, fp8_e4m3)
        VecU8_4x1024 x_q_tile_bytes(t0_valid); TASSIGN(x_q_tile_bytes, 0x00000);  // same bytes as x_q_tile
        XQGm x_q_in(x_q + int64_t(t0) * 1024, {t0_valid});
        TLOAD(x_q_tile_bytes, x_q_in);
        VecE2m1_4x2048 x_q_tile(t0_valid); TASSIGN(x_q_tile, 0x00000);  // UB 0x00000..0x02000
        VecB16_4x2048 x_wide_brain(t0_valid); TASSIGN(x_wide_brain, 0x02000);  // UB 0x02000..0x06000
        TCVT(x_wide_brain, x_q_tile, RoundMode::CAST_RINT);
        VecE4m3_4x2048 x_wide_tile(t0_valid); TASSIGN(x_wide_tile, 0x00000);  // UB 0x00000..0x02000
        TCVT(x_wide_tile, x_wide_brain, RoundMode::CAST_RINT);
        XWideGm x_wide_out(x_wide + int64_t(t0) * 2048, {t0_valid});
        TSTORE(x_wide_out, x_wide_tile);
    }
#endif
}
