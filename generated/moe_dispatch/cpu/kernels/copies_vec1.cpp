// copies_vec1: vector kernel of `moe_dispatch` for cpu. Made by pyptogen; change the spec, not this file.
// stages copies; tiles t 512; memory UB 32768 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x4096 = Tile<TileType::Vec, int32_t, 1, 4096, BLayout::RowMajor, 1, DYNAMIC>;
using SourceGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void copies_vec1(
    __gm__ int32_t *rows_2,
    __gm__ int32_t *source,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block * 512; t0 < t_end; t0 += nblk * 512) {
        const int32_t t0_valid = t_end - t0 < 512 ? t_end - t0 : 512;
        // rows: index_select(x, 0, floor_div(reshape(source, [t * k]), k))
        VecI32_1x4096 source_tile(t0_valid * 8); TASSIGN(source_tile, 0x00000);  // UB 0x00000..0x04000
        SourceGm source_in(source + int64_t(t0) * 8, {t0_valid * 8});
        TLOAD(source_tile, source_in);
        VecI32_1x4096 rows_2_tile(t0_valid * 8); TASSIGN(rows_2_tile, 0x04000);  // UB 0x04000..0x08000
        TSHRS(rows_2_tile, source_tile, 3);
        SourceGm rows_2_out(rows_2 + int64_t(t0) * 8, {t0_valid * 8});
        TSTORE(rows_2_out, rows_2_tile);
    }
#endif
}
