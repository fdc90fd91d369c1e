// group_vec5: vector kernel of `moe_select_groups` for cpu. Made by pyptogen; change the spec, not this file.
// stages group; tiles t 1; memory UB 512 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using VecI32_1x8_c4 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 4>;
using VecI32_8x8_r4 = Tile<TileType::Vec, int32_t, 8, 8, BLayout::RowMajor, 4, 8>;
using VecI32_8x1_r4 = Tile<TileType::Vec, int32_t, 8, 1, BLayout::ColMajor, 4, 1>;
using VecU8_8x32_c1_r4 = Tile<TileType::Vec, uint8_t, 8, 32, BLayout::RowMajor, 4, 1>;
using VecF16_8x16_c8_r4 = Tile<TileType::Vec, half, 8, 16, BLayout::RowMajor, 4, 8>;
using VecF16_1x16 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 16>;
using VecF32_8x8_r1 = Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 1, 8>;
using Open1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 1, 1>>;
using GroupGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 4>, Stride<1, 1, 1, 0, 1>>;
using OpenGm = GlobalTensor<float, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 8, 1>>;
}  // namespace

extern "C" __global__ AICORE void group_vec5(
    __gm__ float *open,
    __gm__ int32_t *group,
    __gm__ int32_t *open_1,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // open: sum(cast(one_hot(group, groups), fp32), axis=1)
    VecI32_1x8 open_1_tile; TASSIGN(open_1_tile, 0x00000);  // UB 0x00000..0x00020
    Open1Gm open_1_in(open_1);
    TLOAD(open_1_tile, open_1_in);
    for (int32_t t0 = block; t0 < t; t0 += nblk) {
        VecI32_1x8_c4 group_tile_row; TASSIGN(group_tile_row, 0x00040);  // as a row, same bytes as group_tile
        GroupGm group_in(group + int64_t(t0) * 4);
        TLOAD(group_tile_row, group_in);
        VecI32_8x8_r4 group_tile_wide; TASSIGN(group_tile_wide, 0x00080);  // UB 0x00080..0x00100
        VecI32_8x1_r4 group_tile; TASSIGN(group_tile, 0x00040);  // UB 0x00040..0x00060
        TROWEXPAND(group_tile_wide, group_tile);
        VecI32_8x8_r4 open_1_tile_wide; TASSIGN(open_1_tile_wide, 0x00100);  // UB 0x00100..0x00180
        TCOLEXPAND(open_1_tile_wide, open_1_tile);
        VecU8_8x32_c1_r4 open_equal_bits; TASSIGN(open_equal_bits, 0x00180);  // UB 0x00180..0x00200
        TCMP(open_equal_bits, group_tile_wide, open_1_tile_wide, CmpMode::EQ);
        VecF16_8x16_c8_r4 open_equal; TASSIGN(open_equal, 0x00040);  // UB 0x00040..0x000c0
        TEXPANDS(open_equal, 1.0f);
        VecF16_1x16 open_equal_tmp; TASSIGN(open_equal_tmp, 0x000c0);  // UB 0x000c0..0x000e0
        TSELS(open_equal, open_equal_bits, open_equal, open_equal_tmp, 0.0f);
        VecI32_8x8_r4 open_3; TASSIGN(open_3, 0x000c0);  // UB 0x000c0..0x00140
        TCVT(open_3, open_equal, RoundMode::CAST_RINT);
        VecF32_8x8_r1 open_5; TASSIGN(open_5, 0x00040);  // UB 0x00040..0x00060
        TPASS(4, 8, [&](auto at, auto &open_5_sum) {
            const auto open_3_v = at.load(open_3);
            const auto open_4 = at.to_float(open_3_v);
            open_5_sum.take(at, open_4);
        }, ColSum(open_5));
        OpenGm open_out(open + int64_t(t0) * 8);
        TSTORE(open_out, open_5);
    }
#endif
}
