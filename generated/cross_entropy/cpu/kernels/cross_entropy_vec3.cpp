// cross_entropy_vec3: vector kernel of `cross_entropy` for cpu. Made by pyptogen; change the spec, not this file.
// stages cross_entropy; tiles i1 2048, once 1; memory UB 17024 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI64_1x4_c1 = Tile<TileType::Vec, int64_t, 1, 4, BLayout::RowMajor, 1, 1>;
using VecI64_4x2048_r1 = Tile<TileType::Vec, int64_t, 4, 2048, BLayout::RowMajor, 1, DYNAMIC>;
using VecI64_4x1_r1 = Tile<TileType::Vec, int64_t, 4, 1, BLayout::ColMajor, 1, 1>;
using VecI64_4x64_r1 = Tile<TileType::Vec, int64_t, 4, 64, BLayout::RowMajor, 1, 64>;
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
    for (int32_t once = block; once < 1; once += nblk) {
        // counted: sum(cast(counts, int64), keepdim=true)
        VecI64_1x4_c1 total_2_row; TASSIGN(total_2_row, 0x00000);  // as a row, same bytes as total_2
        TEXPANDS(total_2_row, 0);
        for (int32_t i1 = 0; i1 < rows; i1 += 2048) {
            const int32_t i1_valid = rows - i1 < 2048 ? rows - i1 : 2048;
            VecI64_4x2048_r1 part(i1_valid); TASSIGN(part, 0x00040);  // UB 0x00040..0x04040
            Counted1Gm counted_1_in(counted_1 + int64_t(i1), {i1_valid});
            TLOAD(part, counted_1_in);
            VecI64_4x1_r1 found; TASSIGN(found, 0x04040);  // UB 0x04040..0x04060
            VecI64_4x64_r1 found_tmp; TASSIGN(found_tmp, 0x04080);  // UB 0x04080..0x04280
            TROWSUM(found, part, found_tmp);
            VecI64_1x4_c1 found_row; TASSIGN(found_row, 0x04040);  // as a row, same bytes as found
            TADD(total_2_row, total_2_row, found_row);
        }
        CountedGm counted_out(counted);
        TSTORE(counted_out, total_2_row);
    }
#endif
}
