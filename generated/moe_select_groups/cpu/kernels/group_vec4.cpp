// group_vec4: vector kernel of `moe_select_groups` for cpu. Made by pyptogen; change the spec, not this file.
// stages group; tiles t 64; memory UB 8448 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF16_64x16_c8 = Tile<TileType::Vec, half, 64, 16, BLayout::RowMajor, DYNAMIC, 8>;
using VecF32_64x8 = Tile<TileType::Vec, float, 64, 8, BLayout::RowMajor, DYNAMIC, 8>;
using VecU8_64x32_c1 = Tile<TileType::Vec, uint8_t, 64, 32, BLayout::RowMajor, DYNAMIC, 1>;
using VecF16_1x16 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 16>;
using WorstGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, 4, 1>>;
using GGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 8>, Stride<1, 1, 1, 8, 1>>;
using OpenGm = GlobalTensor<half, Shape<1, 1, 1, DYNAMIC, 8>, Stride<1, 1, 1, 8, 1>>;
}  // namespace

extern "C" __global__ AICORE void group_vec4(
    __gm__ half *open,
    __gm__ float *g,
    __gm__ float *worst,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block * 64; t0 < t_end; t0 += nblk * 64) {
        const int32_t t0_valid = t_end - t0 < 64 ? t_end - t0 : 64;
        // open: g >= worst[:, kept - 1:]  [moe_select_groups.yaml:34]
        VecF32_64x1 worst_tile(t0_valid); TASSIGN(worst_tile, 0x00000);  // UB 0x00000..0x00100
        WorstGm worst_in(worst + int64_t(t0) * 4 + 3, {t0_valid});
        TLOAD(worst_tile, worst_in);
        VecF16_64x16_c8 open_tile(t0_valid); TASSIGN(open_tile, 0x00100);  // UB 0x00100..0x00900
        TEXPANDS(open_tile, 1.0f);
        VecF32_64x8 g_tile(t0_valid); TASSIGN(g_tile, 0x00900);  // UB 0x00900..0x01100
        VecF32_64x8 worst_tile_wide(t0_valid); TASSIGN(worst_tile_wide, 0x01100);  // UB 0x01100..0x01900
        GGm g_in(g + int64_t(t0) * 8, {t0_valid});
        TPASS(t0_valid, 8, [&](auto at) {
            const auto g_tile_v = at.load(g_in);
            at.store(g_tile, g_tile_v);
            const auto worst_tile_wide_v = at.column(worst_tile);
            at.store(worst_tile_wide, worst_tile_wide_v);
        });
        VecU8_64x32_c1 open_tile_bits(t0_valid); TASSIGN(open_tile_bits, 0x01900);  // UB 0x01900..0x02100
        TCMP(open_tile_bits, g_tile, worst_tile_wide, CmpMode::GE);
        VecF16_1x16 open_tile_tmp; TASSIGN(open_tile_tmp, 0x00000);  // UB 0x00000..0x00020
        TSELS(open_tile, open_tile_bits, open_tile, open_tile_tmp, 0.0f);
        OpenGm open_out(open + int64_t(t0) * 8, {t0_valid});
        TSTORE(open_out, open_tile);
    }
#endif
}
