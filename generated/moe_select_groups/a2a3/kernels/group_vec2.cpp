// group_vec2: vector kernel of `moe_select_groups` for a2a3. Made by pyptogen; change the spec, not this file.
// stages group; tiles whole; memory UB 32 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using Open1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *open_1,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    // open: sum(cast(one_hot(group, groups), fp32), axis=1)
    VecI32_1x8 open_1_view; TASSIGN<0x00000>(open_1_view);  // UB 0x00000..0x00020
    TCI<VecI32_1x8, int32_t, 0>(open_1_view, 0);
    set_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
    Open1Gm open_1_out(open_1);
    TSTORE(open_1_out, open_1_view);
#endif
}

}  // namespace

extern "C" __global__ AICORE void group_vec2(__gm__ int32_t *open_1, int32_t nblk)
{
    run_block(open_1, nblk, static_cast<int32_t>(get_block_idx()));
}
