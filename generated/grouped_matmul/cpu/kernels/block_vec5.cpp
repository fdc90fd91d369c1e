// block_vec5: vector kernel of `grouped_matmul` for cpu. Made by pyptogen; change the spec, not this file.
// stages block; tiles blocks 64; memory UB 16640 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_64x32 = Tile<TileType::Vec, int32_t, 64, 32, BLayout::RowMajor, DYNAMIC, 32>;
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_64x1 = Tile<TileType::Vec, int32_t, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using Source1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 32>, Stride<1, 1, 1, 32, 1>>;
using FirstGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
}  // namespace

extern "C" __global__ AICORE void block_vec5(
    __gm__ int32_t *source,
    __gm__ int32_t *source_1,
    __gm__ int32_t *first,
    int32_t full,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t blocks0 = block * 64; blocks0 < full + 16; blocks0 += nblk * 64) {
        const int32_t blocks0_valid = full + 16 - blocks0 < 64 ? full + 16 - blocks0 : 64;
        // source: minimum(reshape(arange(blocks * r), [blocks, r]) + first[:, None], t - 1)
        VecI32_64x32 source_1_tile(blocks0_valid); TASSIGN(source_1_tile, 0x00000);  // UB 0x00000..0x02000
        Source1Gm source_1_in(source_1 + int64_t(blocks0) * 32, {blocks0_valid});
        TLOAD(source_1_tile, source_1_in);
        VecI32_1x64 first_tile_row(blocks0_valid); TASSIGN(first_tile_row, 0x02000);  // as a row, same bytes as first_tile
        FirstGm first_in(first + int64_t(blocks0), {blocks0_valid});
        TLOAD(first_tile_row, first_in);
        VecI32_64x32 source_4(blocks0_valid); TASSIGN(source_4, 0x02100);  // UB 0x02100..0x04100
        VecI32_64x1 first_tile(blocks0_valid); TASSIGN(first_tile, 0x02000);  // UB 0x02000..0x02100
        TROWEXPANDADD(source_4, source_1_tile, first_tile);
        VecI32_64x32 source_tile(blocks0_valid); TASSIGN(source_tile, 0x00000);  // UB 0x00000..0x02000
        TMINS(source_tile, source_4, 32*full - 1);
        Source1Gm source_out(source + int64_t(blocks0) * 32, {blocks0_valid});
        TSTORE(source_out, source_tile);
    }
#endif
}
