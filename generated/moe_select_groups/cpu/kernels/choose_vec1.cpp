// choose_vec1: vector kernel of `moe_select_groups` for cpu. Made by pyptogen; change the spec, not this file.
// stages choose; tiles t 1; memory UB 2880 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x16_c8 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 8>;
using VecU8_1x32_c1 = Tile<TileType::Vec, uint8_t, 1, 32, BLayout::RowMajor, 1, 1>;
using VecF16_1x16_c8 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 8>;
using VecF16_1x16 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 16>;
using VecF32_16x32_r8 = Tile<TileType::Vec, float, 16, 32, BLayout::RowMajor, 8, 32>;
using VecF16_16x32_r8 = Tile<TileType::Vec, half, 16, 32, BLayout::RowMajor, 8, 32>;
using VecF16_16x1_r8 = Tile<TileType::Vec, half, 16, 1, BLayout::ColMajor, 8, 1>;
using VecU8_16x32_c4_r8 = Tile<TileType::Vec, uint8_t, 16, 32, BLayout::RowMajor, 8, 4>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32>;
using OpenGm = GlobalTensor<float, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 0, 1>>;
using CGm = GlobalTensor<float, Shape<1, 1, 1, 8, 32>, Stride<1, 1, 1, 32, 1>>;
}  // namespace

extern "C" __global__ AICORE void choose_vec1(
    __gm__ float *masked,
    __gm__ float *open,
    __gm__ float *c,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        // masked: reshape(where(open[:, :, None] > 0, c, -inf), [t, experts])
        VecF32_1x16_c8 open_tile_row; TASSIGN(open_tile_row, 0x00000);  // as a row, same bytes as open_tile
        OpenGm open_in(open + int64_t(t0) * 8);
        TLOAD(open_tile_row, open_in);
        VecU8_1x32_c1 masked_2_bits; TASSIGN(masked_2_bits, 0x00040);  // UB 0x00040..0x00060
        TCMPS(masked_2_bits, open_tile_row, 0.0f, CmpMode::GT);
        VecF16_1x16_c8 masked_2_row; TASSIGN(masked_2_row, 0x00000);  // as a row, same bytes as masked_2
        TEXPANDS(masked_2_row, 1.0f);
        VecF16_1x16 masked_2_tmp; TASSIGN(masked_2_tmp, 0x00080);  // UB 0x00080..0x000a0
        TSELS(masked_2_row, masked_2_bits, masked_2_row, masked_2_tmp, 0.0f);
        VecF32_16x32_r8 c_tile; TASSIGN(c_tile, 0x00040);  // UB 0x00040..0x00440
        CGm c_in(c + int64_t(t0) * 256);
        TLOAD(c_tile, c_in);
        VecF16_16x32_r8 masked_2_wide; TASSIGN(masked_2_wide, 0x00440);  // UB 0x00440..0x00640
        VecF16_16x1_r8 masked_2; TASSIGN(masked_2, 0x00000);  // UB 0x00000..0x00020
        TROWEXPAND(masked_2_wide, masked_2);
        VecU8_16x32_c4_r8 masked_3_bits; TASSIGN(masked_3_bits, 0x00640);  // UB 0x00640..0x00740
        TCMPS(masked_3_bits, masked_2_wide, 0.0f, CmpMode::NE);
        VecF32_16x32_r8 masked_3; TASSIGN(masked_3, 0x00740);  // UB 0x00740..0x00b40
        VecF32_1x32 masked_3_tmp; TASSIGN(masked_3_tmp, 0x00440);  // UB 0x00440..0x004c0
        TSELS(masked_3, masked_3_bits, c_tile, masked_3_tmp, -__builtin_inff());
        CGm masked_out(masked + int64_t(t0) * 256);
        TSTORE(masked_out, masked_3);
    }
#endif
}
