// cross_entropy_vec5: vector kernel of `cross_entropy` for cpu. Made by pyptogen; change the spec, not this file.
// stages cross_entropy; tiles rows 4096; memory UB 57856 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF16_1x4096 = Tile<TileType::Vec, half, 1, 4096, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x4096 = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, DYNAMIC>;
using VecU8_1x512 = Tile<TileType::Vec, uint8_t, 1, 512, BLayout::RowMajor, 1, 512>;
using VecF32_1x4096m = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, 4096>;
using CountsGm = GlobalTensor<half, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using Loss1Gm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void cross_entropy_vec5(
    __gm__ float *loss,
    __gm__ half *counts,
    __gm__ float *loss_1,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t rows0 = rows_begin + block * 4096; rows0 < rows_end; rows0 += nblk * 4096) {
        const int32_t rows0_valid = rows_end - rows0 < 4096 ? rows_end - rows0 : 4096;
        // loss: where(counts, reshape(total - named, [rows]), 0)
        VecF16_1x4096 counts_tile(rows0_valid); TASSIGN(counts_tile, 0x00000);  // UB 0x00000..0x02000
        CountsGm counts_in(counts + int64_t(rows0), {rows0_valid});
        TLOAD(counts_tile, counts_in);
        VecF32_1x4096 loss_1_tile(rows0_valid); TASSIGN(loss_1_tile, 0x02000);  // UB 0x02000..0x06000
        Loss1Gm loss_1_in(loss_1 + int64_t(rows0), {rows0_valid});
        TLOAD(loss_1_tile, loss_1_in);
        VecU8_1x512 loss_tile_bits; TASSIGN(loss_tile_bits, 0x06000);  // UB 0x06000..0x06200
        TCMPS(loss_tile_bits, counts_tile, 0.0f, CmpMode::NE);
        VecF32_1x4096 loss_tile(rows0_valid); TASSIGN(loss_tile, 0x06200);  // UB 0x06200..0x0a200
        VecF32_1x4096m loss_tile_tmp; TASSIGN(loss_tile_tmp, 0x0a200);  // UB 0x0a200..0x0e200
        TSELS(loss_tile, loss_tile_bits, loss_1_tile, loss_tile_tmp, 0.0f);
        Loss1Gm loss_out(loss + int64_t(rows0), {rows0_valid});
        TSTORE(loss_out, loss_tile);
    }
#endif
}
