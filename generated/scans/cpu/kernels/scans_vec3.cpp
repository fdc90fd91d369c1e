// scans_vec3: vector kernel of `scans` for cpu. Made by pyptogen; change the spec, not this file.
// stages scans; tiles i1 8; memory UB 16640 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_8x8 = Tile<TileType::Vec, int32_t, 8, 8, BLayout::RowMajor, DYNAMIC, 8>;
using VecI32_8x256 = Tile<TileType::Vec, int32_t, 8, 256, BLayout::RowMajor, DYNAMIC, 256>;
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
    for (int32_t i1 = block * 8; i1 < rows; i1 += nblk * 8) {
        const int32_t i1_valid = rows - i1 < 8 ? rows - i1 : 8;
        // count:   cumsum(mark, axis=-1)
        VecI32_8x8 last(i1_valid); TASSIGN(last, 0x00000);  // UB 0x00000..0x00100
        TEXPANDS(last, 0);
        VecI32_8x256 part(i1_valid); TASSIGN(part, 0x00100);  // UB 0x00100..0x02100
        MarkGm mark_in(mark + int64_t(i1) * 256, {i1_valid});
        TLOAD(part, mark_in);
        VecI32_8x256 sums(i1_valid); TASSIGN(sums, 0x02100);  // UB 0x02100..0x04100
        TROWCUMSUM(sums, part, last);
        MarkGm count_out(count + int64_t(i1) * 256, {i1_valid});
        TSTORE(count_out, sums);
    }
#endif
}
