// group_vec2: vector kernel of `moe_select_groups` for cpu. Made by pyptogen; change the spec, not this file.
// stages group; tiles whole; memory UB 32 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using Open1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void group_vec2(
    __gm__ int32_t *open_1,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // open: sum(cast(one_hot(group, groups), fp32), axis=1)
    VecI32_1x8 open_1_view; TASSIGN(open_1_view, 0x00000);  // UB 0x00000..0x00020
    TCI<VecI32_1x8, int32_t, 0>(open_1_view, 0);
    Open1Gm open_1_out(open_1);
    TSTORE(open_1_out, open_1_view);
#endif
}
