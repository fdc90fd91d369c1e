// unit_vec3: vector kernel of `moe_combine` for cpu. Made by pyptogen; change the spec, not this file.
// stages unit; tiles whole; memory UB 896 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using VecI32_8x8 = Tile<TileType::Vec, int32_t, 8, 8, BLayout::RowMajor, 8, 8>;
using VecI32_8x1 = Tile<TileType::Vec, int32_t, 8, 1, BLayout::ColMajor, 8, 1>;
using VecU8_8x32_c1 = Tile<TileType::Vec, uint8_t, 8, 32, BLayout::RowMajor, 8, 1>;
using VecF16_8x16_c8 = Tile<TileType::Vec, half, 8, 16, BLayout::RowMajor, 8, 8>;
using VecF16_1x16 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 16>;
using E1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 0, 1>>;
using E2Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 1, 1>>;
using EGm = GlobalTensor<float, Shape<1, 1, 1, 8, 8>, Stride<1, 1, 1, 8, 1>>;
}  // namespace

extern "C" __global__ AICORE void unit_vec3(
    __gm__ float *e,
    __gm__ int32_t *e_1,
    __gm__ int32_t *e_2,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // e: cast(one_hot(arange(k), k), fp32)  [moe_combine.yaml:25]
    VecI32_1x8 e_1_tile_row; TASSIGN(e_1_tile_row, 0x00000);  // as a row, same bytes as e_1_tile
    E1Gm e_1_in(e_1);
    TLOAD(e_1_tile_row, e_1_in);
    VecI32_1x8 e_2_tile; TASSIGN(e_2_tile, 0x00040);  // UB 0x00040..0x00060
    E2Gm e_2_in(e_2);
    TLOAD(e_2_tile, e_2_in);
    VecI32_8x8 e_1_tile_wide; TASSIGN(e_1_tile_wide, 0x00080);  // UB 0x00080..0x00180
    VecI32_8x1 e_1_tile; TASSIGN(e_1_tile, 0x00000);  // UB 0x00000..0x00020
    TROWEXPAND(e_1_tile_wide, e_1_tile);
    VecI32_8x8 e_2_tile_wide; TASSIGN(e_2_tile_wide, 0x00180);  // UB 0x00180..0x00280
    TCOLEXPAND(e_2_tile_wide, e_2_tile);
    VecU8_8x32_c1 e_equal_bits; TASSIGN(e_equal_bits, 0x00280);  // UB 0x00280..0x00380
    TCMP(e_equal_bits, e_1_tile_wide, e_2_tile_wide, CmpMode::EQ);
    VecF16_8x16_c8 e_equal; TASSIGN(e_equal, 0x00000);  // UB 0x00000..0x00100
    TEXPANDS(e_equal, 1.0f);
    VecF16_1x16 e_equal_tmp; TASSIGN(e_equal_tmp, 0x00100);  // UB 0x00100..0x00120
    TSELS(e_equal, e_equal_bits, e_equal, e_equal_tmp, 0.0f);
    VecI32_8x8 e_4; TASSIGN(e_4, 0x00100);  // UB 0x00100..0x00200
    TCVT(e_4, e_equal, RoundMode::CAST_RINT);
    EGm e_out(e);
    TPASS(8, 8, [&](auto at) {
        const auto e_4_v = at.load(e_4);
        const auto e_tile = at.to_float(e_4_v);
        at.store(e_out, e_tile);
    });
#endif
}
