// rank_vec1: vector kernel of `moe_dispatch` for cpu. Made by pyptogen; change the spec, not this file.
// stages rank; tiles whole; memory UB 256 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using Chosen1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void rank_vec1(
    __gm__ int32_t *chosen_1,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // chosen: one_hot(expert, experts)
    VecI32_1x64 chosen_1_view; TASSIGN(chosen_1_view, 0x00000);  // UB 0x00000..0x00100
    TCI<VecI32_1x64, int32_t, 0>(chosen_1_view, 0);
    Chosen1Gm chosen_1_out(chosen_1);
    TSTORE(chosen_1_out, chosen_1_view);
#endif
}
