// widen: vector kernel of `linear_mxfp4` for cpu. Made by pyptogen; change the spec, not this file.
// stages widen; tiles n 4; memory UB 24576 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecU8_4x1024 = Tile<TileType::Vec, uint8_t, 4, 1024, BLayout::RowMajor, 4, 1024>;
using VecE2m1_4x2048 = Tile<TileType::Vec, float4_e2m1x2_t, 4, 2048, BLayout::RowMajor, 4, 2048>;
using VecB16_4x2048 = Tile<TileType::Vec, bfloat16_t, 4, 2048, BLayout::RowMajor, 4, 2048>;
using VecE4m3_4x2048 = Tile<TileType::Vec, float8_e4m3_t, 4, 2048, BLayout::RowMajor, 4, 2048>;
using WGm = GlobalTensor<uint8_t, Shape<1, 1, 1, 4, 1024>, Stride<1, 1, 1, 1024, 1>>;
using WWideGm = GlobalTensor<float8_e4m3_t, Shape<1, 1, 1, 4, 2048>, Stride<1, 1, 1, 2048, 1>>;
}  // namespace

extern "C" __global__ AICORE void widen(
    __gm__ float8_e4m3_t *w_wide,
    __gm__ uint8_t *w,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t n0 = block * 4; n0 < 1024; n0 += nblk * 4) {
        // w_wide: cast(w, fp8_e4m3)
        VecU8_4x1024 w_tile_bytes; TASSIGN(w_tile_bytes, 0x00000);  // same bytes as w_tile
        WGm w_in(w + int64_t(n0) * 1024);
        TLOAD(w_tile_bytes, w_in);
        VecE2m1_4x2048 w_tile; TASSIGN(w_tile, 0x00000);  // UB 0x00000..0x02000
        VecB16_4x2048 w_wide_brain; TASSIGN(w_wide_brain, 0x02000);  // UB 0x02000..0x06000
        TCVT(w_wide_brain, w_tile, RoundMode::CAST_RINT);
        VecE4m3_4x2048 w_wide_tile; TASSIGN(w_wide_tile, 0x00000);  // UB 0x00000..0x02000
        TCVT(w_wide_tile, w_wide_brain, RoundMode::CAST_RINT);
        WWideGm w_wide_out(w_wide + int64_t(n0) * 2048);
        TSTORE(w_wide_out, w_wide_tile);
    }
#endif
}
