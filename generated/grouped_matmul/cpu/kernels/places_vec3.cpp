// places_vec3: vector kernel of `grouped_matmul` for cpu. Made by pyptogen; change the spec, not this file.
// stages places; tiles whole; memory UB 192 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x16 = Tile<TileType::Vec, int32_t, 1, 16, BLayout::RowMajor, 1, 16>;
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using NeedGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void places_vec3(
    __gm__ int32_t *upto,
    __gm__ int32_t *need,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // upto:  cumsum(need, axis=-1)
    VecI32_1x16 need_tile; TASSIGN(need_tile, 0x00000);  // UB 0x00000..0x00040
    NeedGm need_in(need);
    TLOAD(need_tile, need_in);
    VecI32_1x8 upto_tile_before; TASSIGN(upto_tile_before, 0x00040);  // UB 0x00040..0x00060
    TEXPANDS(upto_tile_before, 0);
    VecI32_1x16 upto_tile; TASSIGN(upto_tile, 0x00080);  // UB 0x00080..0x000c0
    TROWCUMSUM(upto_tile, need_tile, upto_tile_before);
    NeedGm upto_out(upto);
    TSTORE(upto_out, upto_tile);
#endif
}
