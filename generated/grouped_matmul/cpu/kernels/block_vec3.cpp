// block_vec3: vector kernel of `grouped_matmul` for cpu. Made by pyptogen; change the spec, not this file.
// stages block; tiles blocks 64; memory UB 10560 B
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
using UptoGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 1, 1>>;
using Done1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
}  // namespace

extern "C" __global__ AICORE void block_vec3(
    __gm__ int32_t *group,
    __gm__ int32_t *done_1,
    __gm__ int32_t *upto,
    int32_t full,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // done:   cast(reshape(arange(blocks), [blocks, 1]) >= upto, int32)
    VecI32_1x16 upto_tile; TASSIGN(upto_tile, 0x00000);  // UB 0x00000..0x00040
    UptoGm upto_in(upto);
    TLOAD(upto_tile, upto_in);
    for (int32_t blocks0 = block * 64; blocks0 < full + 16; blocks0 += nblk * 64) {
        const int32_t blocks0_valid = full + 16 - blocks0 < 64 ? full + 16 - blocks0 : 64;
        VecI32_1x64 done_1_tile_row(blocks0_valid); TASSIGN(done_1_tile_row, 0x00040);  // as a row, same bytes as done_1_tile
        Done1Gm done_1_in(done_1 + int64_t(blocks0), {blocks0_valid});
        TLOAD(done_1_tile_row, done_1_in);
        VecI32_64x16 done_1_tile_wide(blocks0_valid); TASSIGN(done_1_tile_wide, 0x00140);  // UB 0x00140..0x01140
        VecI32_64x1 done_1_tile(blocks0_valid); TASSIGN(done_1_tile, 0x00040);  // UB 0x00040..0x00140
        TROWEXPAND(done_1_tile_wide, done_1_tile);
        VecI32_64x16 upto_tile_wide(blocks0_valid); TASSIGN(upto_tile_wide, 0x01140);  // UB 0x01140..0x02140
        TCOLEXPAND(upto_tile_wide, upto_tile);
        VecU8_64x32_c2 done_3_bits(blocks0_valid); TASSIGN(done_3_bits, 0x02140);  // UB 0x02140..0x02940
        TCMP(done_3_bits, done_1_tile_wide, upto_tile_wide, CmpMode::GE);
        VecF16_64x16 done_3(blocks0_valid); TASSIGN(done_3, 0x00040);  // UB 0x00040..0x00840
        TEXPANDS(done_3, 1.0f);
        VecF16_1x16 done_3_tmp; TASSIGN(done_3_tmp, 0x00840);  // UB 0x00840..0x00860
        TSELS(done_3, done_3_bits, done_3, done_3_tmp, 0.0f);
        VecI32_64x16 done(blocks0_valid); TASSIGN(done, 0x00840);  // UB 0x00840..0x01840
        TCVT(done, done_3, RoundMode::CAST_RINT);
        // group:  reshape(minimum(sum(done, axis=-1, keepdim=true), groups - 1), [blocks])
        VecI32_64x1 group_1(blocks0_valid); TASSIGN(group_1, 0x00040);  // UB 0x00040..0x00140
        VecI32_64x16 group_1_tmp(blocks0_valid); TASSIGN(group_1_tmp, 0x01840);  // UB 0x01840..0x02840
        TROWSUM(group_1, done, group_1_tmp);
        VecI32_1x64 group_2_row(blocks0_valid); TASSIGN(group_2_row, 0x00140);  // as a row, same bytes as group_2
        VecI32_1x64 group_1_row(blocks0_valid); TASSIGN(group_1_row, 0x00040);  // as a row, same bytes as group_1
        TMINS(group_2_row, group_1_row, 15);
        Done1Gm group_out(group + int64_t(blocks0), {blocks0_valid});
        TSTORE(group_out, group_2_row);
    }
#endif
}
