// rank_vec1: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rank; tiles whole; memory UB 256 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using Chosen1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *chosen_1,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    // chosen: one_hot(expert, experts)
    VecI32_1x64 chosen_1_view; TASSIGN<0x00000>(chosen_1_view);  // UB 0x00000..0x00100
    TCI<VecI32_1x64, int32_t, 0>(chosen_1_view, 0);
    set_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
    Chosen1Gm chosen_1_out(chosen_1);
    TSTORE(chosen_1_out, chosen_1_view);
#endif
}

}  // namespace

extern "C" __global__ AICORE void rank_vec1(__gm__ int32_t *chosen_1, int32_t nblk)
{
    run_block(chosen_1, nblk, static_cast<int32_t>(get_block_idx()));
}
