// cross_entropy_vec4: vector kernel of `cross_entropy` for cpu. Made by pyptogen; change the spec, not this file.
// stages cross_entropy; tiles rows 64; memory UB 768 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using TotalGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
}  // namespace

extern "C" __global__ AICORE void cross_entropy_vec4(
    __gm__ float *loss_1,
    __gm__ float *total,
    __gm__ float *named,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t rows0 = rows_begin + block * 64; rows0 < rows_end; rows0 += nblk * 64) {
        const int32_t rows0_valid = rows_end - rows0 < 64 ? rows_end - rows0 : 64;
        // loss: where(counts, reshape(total - named, [rows]), 0)
        VecF32_1x64 total_tile_row(rows0_valid); TASSIGN(total_tile_row, 0x00000);  // as a row, same bytes as total_tile
        TotalGm total_in(total + int64_t(rows0), {rows0_valid});
        TLOAD(total_tile_row, total_in);
        VecF32_1x64 named_tile_row(rows0_valid); TASSIGN(named_tile_row, 0x00100);  // as a row, same bytes as named_tile
        TotalGm named_in(named + int64_t(rows0), {rows0_valid});
        TLOAD(named_tile_row, named_in);
        VecF32_1x64 loss_1_tile_row(rows0_valid); TASSIGN(loss_1_tile_row, 0x00200);  // as a row, same bytes as loss_1_tile
        TSUB(loss_1_tile_row, total_tile_row, named_tile_row);
        TotalGm loss_1_out(loss_1 + int64_t(rows0), {rows0_valid});
        TSTORE(loss_1_out, loss_1_tile_row);
    }
#endif
}
