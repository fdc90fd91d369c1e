// offsets_vec2: vector kernel of `moe_dispatch` for cpu. Made by pyptogen; change the spec, not this file.
// stages offsets; tiles whole; memory UB 576 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using CountGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void offsets_vec2(
    __gm__ int32_t *before,
    __gm__ int32_t *count,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // before: cumsum(count, axis=-1) - count
    VecI32_1x64 count_tile; TASSIGN(count_tile, 0x00000);  // UB 0x00000..0x00100
    CountGm count_in(count);
    TLOAD(count_tile, count_in);
    VecI32_1x8 before_1_before; TASSIGN(before_1_before, 0x00100);  // UB 0x00100..0x00120
    TEXPANDS(before_1_before, 0);
    VecI32_1x64 before_1; TASSIGN(before_1, 0x00140);  // UB 0x00140..0x00240
    TROWCUMSUM(before_1, count_tile, before_1_before);
    CountGm before_out(before);
    TPASS(1, 64, [&](auto at) {
        const auto before_1_v = at.load(before_1);
        const auto count_tile_v = at.load(count_tile);
        const auto before_tile = before_1_v - count_tile_v;
        at.store(before_out, before_tile);
    });
#endif
}
