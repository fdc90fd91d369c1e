// scans_vec3: vector kernel of `scans` for cpu. Made by pyptogen; change the spec, not this file.
// stages scans; tiles rows 8; memory UB 16640 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_8x256 = Tile<TileType::Vec, int32_t, 8, 256, BLayout::RowMajor, DYNAMIC, 256>;
using VecI32_8x8 = Tile<TileType::Vec, int32_t, 8, 8, BLayout::RowMajor, DYNAMIC, 8>;
using MarkGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 256, 1>>;
}  // namespace

extern "C" __global__ AICORE void scans_vec3(
    __gm__ int32_t *count,
    __gm__ int32_t *mark,
    int32_t rows,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t rows0 = block * 8; rows0 < rows; rows0 += nblk * 8) {
        const int32_t rows0_valid = rows - rows0 < 8 ? rows - rows0 : 8;
        // count:   cumsum(mark, axis=-1)
        VecI32_8x256 mark_tile(rows0_valid); TASSIGN(mark_tile, 0x00000);  // UB 0x00000..0x02000
        MarkGm mark_in(mark + int64_t(rows0) * 256, {rows0_valid});
        TLOAD(mark_tile, mark_in);
        VecI32_8x8 count_tile_before(rows0_valid); TASSIGN(count_tile_before, 0x02000);  // UB 0x02000..0x02100
        TEXPANDS(count_tile_before, 0);
        VecI32_8x256 count_tile(rows0_valid); TASSIGN(count_tile, 0x02100);  // UB 0x02100..0x04100
        TROWCUMSUM(count_tile, mark_tile, count_tile_before);
        MarkGm count_out(count + int64_t(rows0) * 256, {rows0_valid});
        TSTORE(count_out, count_tile);
    }
#endif
}
