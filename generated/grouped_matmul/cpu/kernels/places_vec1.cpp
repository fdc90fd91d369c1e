// places_vec1: vector kernel of `grouped_matmul` for cpu. Made by pyptogen; change the spec, not this file.
// stages places; tiles whole; memory UB 128 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x16 = Tile<TileType::Vec, int32_t, 1, 16, BLayout::RowMajor, 1, 16>;
using CountGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void places_vec1(
    __gm__ int32_t *need,
    __gm__ int32_t *count,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // need:  floor_div(count + (r - 1), r)
    VecI32_1x16 count_tile; TASSIGN(count_tile, 0x00000);  // UB 0x00000..0x00040
    CountGm count_in(count);
    TLOAD(count_tile, count_in);
    VecI32_1x16 need_1; TASSIGN(need_1, 0x00040);  // UB 0x00040..0x00080
    TADDS(need_1, count_tile, 31);
    VecI32_1x16 need_tile; TASSIGN(need_tile, 0x00000);  // UB 0x00000..0x00040
    TSHRS(need_tile, need_1, 5);
    CountGm need_out(need);
    TSTORE(need_out, need_tile);
#endif
}
