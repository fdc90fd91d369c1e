// offsets_vec3: vector kernel of `moe_dispatch` for cpu. Made by pyptogen; change the spec, not this file.
// stages offsets; tiles whole; memory UB 768 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using Before1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void offsets_vec3(
    __gm__ int32_t *before,
    __gm__ int32_t *before_1,
    __gm__ int32_t *count,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // before: cumsum(count, axis=-1) - count  [moe_dispatch.yaml:28]
    VecI32_1x64 before_1_tile; TASSIGN(before_1_tile, 0x00000);  // UB 0x00000..0x00100
    Before1Gm before_1_in(before_1);
    TLOAD(before_1_tile, before_1_in);
    VecI32_1x64 count_tile; TASSIGN(count_tile, 0x00100);  // UB 0x00100..0x00200
    Before1Gm count_in(count);
    TLOAD(count_tile, count_in);
    VecI32_1x64 before_tile; TASSIGN(before_tile, 0x00200);  // UB 0x00200..0x00300
    TSUB(before_tile, before_1_tile, count_tile);
    Before1Gm before_out(before);
    TSTORE(before_out, before_tile);
#endif
}
