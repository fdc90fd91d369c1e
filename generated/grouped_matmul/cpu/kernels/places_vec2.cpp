// places_vec2: vector kernel of `grouped_matmul` for cpu. Made by pyptogen; change the spec, not this file.
// stages places; tiles whole; memory UB 192 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x16 = Tile<TileType::Vec, int32_t, 1, 16, BLayout::RowMajor, 1, 16>;
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using CountGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void places_vec2(
    __gm__ int32_t *end,
    __gm__ int32_t *count,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // end:   cumsum(count, axis=-1)
    VecI32_1x16 count_tile; TASSIGN(count_tile, 0x00000);  // UB 0x00000..0x00040
    CountGm count_in(count);
    TLOAD(count_tile, count_in);
    VecI32_1x8 end_tile_before; TASSIGN(end_tile_before, 0x00040);  // UB 0x00040..0x00060
    TEXPANDS(end_tile_before, 0);
    VecI32_1x16 end_tile; TASSIGN(end_tile, 0x00080);  // UB 0x00080..0x000c0
    TROWCUMSUM(end_tile, count_tile, end_tile_before);
    CountGm end_out(end);
    TSTORE(end_out, end_tile);
#endif
}
