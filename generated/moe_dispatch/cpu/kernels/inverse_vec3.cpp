// inverse_vec3: vector kernel of `moe_dispatch` for cpu. Made by pyptogen; change the spec, not this file.
// stages inverse; tiles t 1; memory UB 320 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using VecI32_8x8 = Tile<TileType::Vec, int32_t, 8, 8, BLayout::RowMajor, 8, 8>;
using VecI32_8x1 = Tile<TileType::Vec, int32_t, 8, 1, BLayout::ColMajor, 8, 1>;
using VecI32_1x8_c1 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 1>;
using CopyGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 0, 1>>;
using SourceGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;

// An index, or -1, which skips, for one that names no place. `site`: which of the operator's this is, for PTG408.
AICORE inline int64_t index_or_skip(int64_t index, int64_t size, [[maybe_unused]] int32_t site)
{
#if defined(PTO_WRONG_INDEX)
    PTO_WRONG_INDEX(index < -1 || index >= size, index, size, site);
#endif
    return index < size ? index : -1;
}
}  // namespace

extern "C" __global__ AICORE void inverse_vec3(
    __gm__ int32_t *source,
    __gm__ int32_t *copy,
    __gm__ int32_t *place,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        // source: scatter_update(zeros([t * k, 1], int32), reshape(place, [t * k]), copy, dim=0)
        VecI32_1x8 copy_tile_row; TASSIGN(copy_tile_row, 0x00000);  // as a row, same bytes as copy_tile
        CopyGm copy_in(copy + int64_t(t0) * 8);
        TLOAD(copy_tile_row, copy_in);
        VecI32_8x8 copy_tile_wide; TASSIGN(copy_tile_wide, 0x00040);  // UB 0x00040..0x00140
        VecI32_8x1 copy_tile; TASSIGN(copy_tile, 0x00000);  // UB 0x00000..0x00020
        TROWEXPAND(copy_tile_wide, copy_tile);
        // rows of copy_tile_wide to the slots in place
        for (int32_t row = 0; row < 8; ++row) {
            const int64_t slot = index_or_skip(place[int64_t(t0) * 8 + int64_t(row)], int64_t(t) * 8, 1);
            if (slot < 0) {  // this row is not kept
                continue;
            }
            VecI32_1x8_c1 copy_tile_wide_one; TASSIGN(copy_tile_wide_one, 0x00040 + row * 0x00020);  // row of copy_tile_wide
            SourceGm source_out(source + int64_t(slot));
            TSTORE(source_out, copy_tile_wide_one);
        }
    }
#endif
}
