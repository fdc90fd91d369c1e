// places_vec1: vector kernel of `grouped_matmul` for a2a3. Made by pyptogen; change the spec, not this file.
// stages places; tiles whole; memory UB 192 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x16 = Tile<TileType::Vec, int32_t, 1, 16, BLayout::RowMajor, 1, 16>;
using CountGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *need,
    __gm__ int32_t *count,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    // need:  floor_div(count + (r - 1), r)
    VecI32_1x16 count_tile; TASSIGN<0x00000>(count_tile);  // UB 0x00000..0x00040
    CountGm count_in(count);
    TLOAD(count_tile, count_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    VecI32_1x16 need_1; TASSIGN<0x00080>(need_1);  // UB 0x00080..0x000c0
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TADDS(need_1, count_tile, 31);
    VecI32_1x16 need_tile; TASSIGN<0x00040>(need_tile);  // UB 0x00040..0x00080
    pipe_barrier(PIPE_V);
    TSHRS(need_tile, need_1, 5);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    CountGm need_out(need);
    TSTORE(need_out, need_tile);
#endif
}

}  // namespace

extern "C" __global__ AICORE void places_vec1(__gm__ int32_t *need, __gm__ int32_t *count, int32_t nblk)
{
    run_block(need, count, nblk, static_cast<int32_t>(get_block_idx()));
}
