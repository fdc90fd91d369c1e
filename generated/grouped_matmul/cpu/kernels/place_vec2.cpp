// place_vec2: vector kernel of `grouped_matmul` for cpu. Made by pyptogen; change the spec, not this file.
// stages place; tiles t 64; memory UB 10560 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x16 = Tile<TileType::Vec, int32_t, 1, 16, BLayout::RowMajor, 1, 16>;
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_64x16 = Tile<TileType::Vec, int32_t, 64, 16, BLayout::RowMajor, DYNAMIC, 16>;
using VecI32_64x1 = Tile<TileType::Vec, int32_t, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecU8_64x32_c2 = Tile<TileType::Vec, uint8_t, 64, 32, BLayout::RowMajor, DYNAMIC, 2>;
using VecF16_64x16 = Tile<TileType::Vec, half, 64, 16, BLayout::RowMajor, DYNAMIC, 16>;
using VecF16_1x16 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 16>;
using EndGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 1, 1>>;
using Past1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
}  // namespace

extern "C" __global__ AICORE void place_vec2(
    __gm__ int32_t *owner,
    __gm__ int32_t *past_1,
    __gm__ int32_t *end,
    int32_t full,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // past:  sum(cast(reshape(arange(t), [t, 1]) >= end, int32), axis=-1, keepdim=true)
    VecI32_1x16 end_tile; TASSIGN(end_tile, 0x00000);  // UB 0x00000..0x00040
    EndGm end_in(end);
    TLOAD(end_tile, end_in);
    for (int32_t t0 = block * 64; t0 < full * 32; t0 += nblk * 64) {
        const int32_t t0_valid = full * 32 - t0 < 64 ? full * 32 - t0 : 64;
        VecI32_1x64 past_1_tile_row(t0_valid); TASSIGN(past_1_tile_row, 0x00040);  // as a row, same bytes as past_1_tile
        Past1Gm past_1_in(past_1 + int64_t(t0), {t0_valid});
        TLOAD(past_1_tile_row, past_1_in);
        VecI32_64x16 past_1_tile_wide(t0_valid); TASSIGN(past_1_tile_wide, 0x00140);  // UB 0x00140..0x01140
        VecI32_64x1 past_1_tile(t0_valid); TASSIGN(past_1_tile, 0x00040);  // UB 0x00040..0x00140
        TROWEXPAND(past_1_tile_wide, past_1_tile);
        VecI32_64x16 end_tile_wide(t0_valid); TASSIGN(end_tile_wide, 0x01140);  // UB 0x01140..0x02140
        TCOLEXPAND(end_tile_wide, end_tile);
        VecU8_64x32_c2 past_3_bits(t0_valid); TASSIGN(past_3_bits, 0x02140);  // UB 0x02140..0x02940
        TCMP(past_3_bits, past_1_tile_wide, end_tile_wide, CmpMode::GE);
        VecF16_64x16 past_3(t0_valid); TASSIGN(past_3, 0x00040);  // UB 0x00040..0x00840
        TEXPANDS(past_3, 1.0f);
        VecF16_1x16 past_3_tmp; TASSIGN(past_3_tmp, 0x00840);  // UB 0x00840..0x00860
        TSELS(past_3, past_3_bits, past_3, past_3_tmp, 0.0f);
        VecI32_64x16 past_4(t0_valid); TASSIGN(past_4, 0x00840);  // UB 0x00840..0x01840
        TCVT(past_4, past_3, RoundMode::CAST_RINT);
        VecI32_64x1 past(t0_valid); TASSIGN(past, 0x00040);  // UB 0x00040..0x00140
        VecI32_64x16 past_tmp(t0_valid); TASSIGN(past_tmp, 0x01840);  // UB 0x01840..0x02840
        TROWSUM(past, past_4, past_tmp);
        // owner: reshape(minimum(past, groups - 1), [t])
        VecI32_1x64 owner_1_row(t0_valid); TASSIGN(owner_1_row, 0x00140);  // as a row, same bytes as owner_1
        VecI32_1x64 past_row(t0_valid); TASSIGN(past_row, 0x00040);  // as a row, same bytes as past
        TMINS(owner_1_row, past_row, 15);
        Past1Gm owner_out(owner + int64_t(t0), {t0_valid});
        TSTORE(owner_out, owner_1_row);
    }
#endif
}
