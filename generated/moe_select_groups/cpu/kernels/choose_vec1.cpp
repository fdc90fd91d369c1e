// choose_vec1: vector kernel of `moe_select_groups` for cpu. Made by pyptogen; change the spec, not this file.
// stages choose; tiles t 1; memory UB 2944 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF16_1x16_c8 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 8>;
using VecF32_16x32_r8 = Tile<TileType::Vec, float, 16, 32, BLayout::RowMajor, 8, 32>;
using VecF16_16x32_r8 = Tile<TileType::Vec, half, 16, 32, BLayout::RowMajor, 8, 32>;
using VecF16_16x1_r8 = Tile<TileType::Vec, half, 16, 1, BLayout::ColMajor, 8, 1>;
using VecU8_16x32_c4_r8 = Tile<TileType::Vec, uint8_t, 16, 32, BLayout::RowMajor, 8, 4>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 8>;
using OpenGm = GlobalTensor<half, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 0, 1>>;
using C1Gm = GlobalTensor<float, Shape<1, 1, 1, 8, 32>, Stride<1, 1, 1, 32, 1>>;
}  // namespace

extern "C" __global__ AICORE void choose_vec1(
    __gm__ float *masked_2,
    __gm__ half *open,
    __gm__ float *c_1,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        // masked: reshape(where(open[:, :, None], c, -inf), [t, experts])  [moe_select_groups.yaml:36]
        VecF16_1x16_c8 masked_1_row; TASSIGN(masked_1_row, 0x00000);  // as a row, same bytes as masked_1
        OpenGm open_in(open + int64_t(t0) * 8);
        TLOAD(masked_1_row, open_in);
        VecF32_16x32_r8 c; TASSIGN(c, 0x00780);  // UB 0x00780..0x00b80
        C1Gm c_1_in(c_1 + int64_t(t0) * 256);
        TLOAD(c, c_1_in);
        VecF16_16x32_r8 masked_1_wide; TASSIGN(masked_1_wide, 0x00040);  // UB 0x00040..0x00240
        VecF16_16x1_r8 masked_1; TASSIGN(masked_1, 0x00000);  // UB 0x00000..0x00020
        TROWEXPAND(masked_1_wide, masked_1);
        VecU8_16x32_c4_r8 masked_2_tile_bits; TASSIGN(masked_2_tile_bits, 0x00640);  // UB 0x00640..0x00740
        TCMPS(masked_2_tile_bits, masked_1_wide, 0.0f, CmpMode::NE);
        VecF32_16x32_r8 masked_2_tile; TASSIGN(masked_2_tile, 0x00240);  // UB 0x00240..0x00640
        VecF32_1x8 masked_2_tile_tmp; TASSIGN(masked_2_tile_tmp, 0x00740);  // UB 0x00740..0x00760
        TSELS(masked_2_tile, masked_2_tile_bits, c, masked_2_tile_tmp, -__builtin_inff());
        C1Gm masked_2_out(masked_2 + int64_t(t0) * 256);
        TSTORE(masked_2_out, masked_2_tile);
    }
#endif
}
