// scans_vec3: vector kernel of `scans` for cpu. Made by pyptogen; change the spec, not this file.
// stages scans; tiles i1 8, i2 1; memory UB 96 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_8x1 = Tile<TileType::Vec, int32_t, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using MarkGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, 256, 1>>;
}  // namespace

extern "C" __global__ AICORE void scans_vec3(
    __gm__ int32_t *count,
    __gm__ int32_t *mark,
    int32_t rows,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i1 = block * 8; i1 < rows; i1 += nblk * 8) {
        const int32_t i1_valid = rows - i1 < 8 ? rows - i1 : 8;
        // count:   cumsum(mark, axis=-1)  [scans.yaml:20]
        VecI32_1x8 total_row(i1_valid); TASSIGN(total_row, 0x00040);  // as a row, same bytes as total
        TEXPANDS(total_row, 0);
        for (int32_t i2 = 0; i2 < 256; ++i2) {
            VecI32_8x1 part(i1_valid); TASSIGN(part, 0x00000);  // UB 0x00000..0x00020
            MarkGm mark_in(mark + int64_t(i1) * 256 + int64_t(i2), {i1_valid});
            TLOAD(part, mark_in);
            VecI32_1x8 part_row(i1_valid); TASSIGN(part_row, 0x00000);  // as a row, same bytes as part
            TADD(total_row, total_row, part_row);
            VecI32_8x1 total(i1_valid); TASSIGN(total, 0x00040);  // UB 0x00040..0x00060
            MarkGm count_out(count + int64_t(i1) * 256 + int64_t(i2), {i1_valid});
            TSTORE(count_out, total);
        }
    }
#endif
}
