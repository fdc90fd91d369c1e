// rank_vec2: vector kernel of `moe_dispatch` for cpu. Made by pyptogen; change the spec, not this file.
// stages rank; tiles t 1; memory UB 4672 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using VecI32_8x64 = Tile<TileType::Vec, int32_t, 8, 64, BLayout::RowMajor, 8, 64>;
using VecI32_8x1 = Tile<TileType::Vec, int32_t, 8, 1, BLayout::ColMajor, 8, 1>;
using VecU8_8x32_c8 = Tile<TileType::Vec, uint8_t, 8, 32, BLayout::RowMajor, 8, 8>;
using VecF16_8x64 = Tile<TileType::Vec, half, 8, 64, BLayout::RowMajor, 8, 64>;
using VecF16_1x64 = Tile<TileType::Vec, half, 1, 64, BLayout::RowMajor, 1, 64>;
using Chosen1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;
using ExpertGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 0, 1>>;
using ChosenGm = GlobalTensor<int32_t, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, 64, 1>>;
}  // namespace

extern "C" __global__ AICORE void rank_vec2(
    __gm__ int32_t *chosen,
    __gm__ int32_t *expert,
    __gm__ int32_t *chosen_1,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // chosen: one_hot(expert, experts)
    VecI32_1x64 chosen_1_tile; TASSIGN(chosen_1_tile, 0x00000);  // UB 0x00000..0x00100
    Chosen1Gm chosen_1_in(chosen_1);
    TLOAD(chosen_1_tile, chosen_1_in);
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        VecI32_1x8 expert_tile_row; TASSIGN(expert_tile_row, 0x00100);  // as a row, same bytes as expert_tile
        ExpertGm expert_in(expert + int64_t(t0) * 8);
        TLOAD(expert_tile_row, expert_in);
        VecI32_8x64 expert_tile_wide; TASSIGN(expert_tile_wide, 0x00140);  // UB 0x00140..0x00940
        VecI32_8x1 expert_tile; TASSIGN(expert_tile, 0x00100);  // UB 0x00100..0x00120
        TROWEXPAND(expert_tile_wide, expert_tile);
        VecI32_8x64 chosen_1_tile_wide; TASSIGN(chosen_1_tile_wide, 0x00940);  // UB 0x00940..0x01140
        TCOLEXPAND(chosen_1_tile_wide, chosen_1_tile);
        VecU8_8x32_c8 chosen_equal_bits; TASSIGN(chosen_equal_bits, 0x01140);  // UB 0x01140..0x01240
        TCMP(chosen_equal_bits, expert_tile_wide, chosen_1_tile_wide, CmpMode::EQ);
        VecF16_8x64 chosen_equal; TASSIGN(chosen_equal, 0x00100);  // UB 0x00100..0x00500
        TEXPANDS(chosen_equal, 1.0f);
        VecF16_1x64 chosen_equal_tmp; TASSIGN(chosen_equal_tmp, 0x00500);  // UB 0x00500..0x00580
        TSELS(chosen_equal, chosen_equal_bits, chosen_equal, chosen_equal_tmp, 0.0f);
        VecI32_8x64 chosen_tile; TASSIGN(chosen_tile, 0x00500);  // UB 0x00500..0x00d00
        TCVT(chosen_tile, chosen_equal, RoundMode::CAST_RINT);
        ChosenGm chosen_out(chosen + int64_t(t0) * 512);
        TSTORE(chosen_out, chosen_tile);
    }
#endif
}
