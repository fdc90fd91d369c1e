// cross_entropy_vec3: vector kernel of `cross_entropy` for cpu. Made by pyptogen; change the spec, not this file.
// stages cross_entropy; tiles rows 2048; memory UB 17024 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI64_1x4_c1 = Tile<TileType::Vec, int64_t, 1, 4, BLayout::RowMajor, 1, 1>;
using VecI64_1x2048 = Tile<TileType::Vec, int64_t, 1, 2048, BLayout::RowMajor, 1, DYNAMIC>;
using VecI64_4x1_r1 = Tile<TileType::Vec, int64_t, 4, 1, BLayout::ColMajor, 1, 1>;
using VecI64_1x64 = Tile<TileType::Vec, int64_t, 1, 64, BLayout::RowMajor, 1, 64>;
using Counted1Gm = GlobalTensor<int64_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using CountedGm = GlobalTensor<int64_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 0, 1>>;
}  // namespace

extern "C" __global__ AICORE void cross_entropy_vec3(
    __gm__ int64_t *counted,
    __gm__ int64_t *counted_1,
    int32_t rows,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // counted: sum(cast(counts, int64), keepdim=true)
    VecI64_1x4_c1 counted_tile_row; TASSIGN(counted_tile_row, 0x00000);  // as a row, same bytes as counted_tile
    TEXPANDS(counted_tile_row, 0);
    for (int32_t rows0 = 0; rows0 < rows; rows0 += 2048) {
        const int32_t rows0_valid = rows - rows0 < 2048 ? rows - rows0 : 2048;
        VecI64_1x2048 counted_1_tile(rows0_valid); TASSIGN(counted_1_tile, 0x00040);  // UB 0x00040..0x04040
        Counted1Gm counted_1_in(counted_1 + int64_t(rows0), {rows0_valid});
        TLOAD(counted_1_tile, counted_1_in);
        VecI64_4x1_r1 counted_part; TASSIGN(counted_part, 0x04040);  // UB 0x04040..0x04060
        VecI64_1x64 counted_part_tmp; TASSIGN(counted_part_tmp, 0x04080);  // UB 0x04080..0x04280
        TROWSUM(counted_part, counted_1_tile, counted_part_tmp);
        VecI64_1x4_c1 counted_part_row; TASSIGN(counted_part_row, 0x04040);  // as a row, same bytes as counted_part
        TADD(counted_tile_row, counted_tile_row, counted_part_row);
    }
    CountedGm counted_out(counted);
    TSTORE(counted_out, counted_tile_row);
#endif
}
