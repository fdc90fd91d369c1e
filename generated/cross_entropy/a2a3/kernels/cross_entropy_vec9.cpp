// cross_entropy_vec9: vector kernel of `cross_entropy` for a2a3. Made by pyptogen; change the spec, not this file.
// stages cross_entropy; tiles whole; memory UB 64 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x8_c1 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 1>;
using CountedLow3Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *counted_halves,
    __gm__ int32_t *counted_low_3,
    __gm__ int32_t *counted_high,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    // counted: sum(cast(counts, int64), keepdim=true)
    VecI32_1x8_c1 counted_low_3_tile; TASSIGN<0x00000>(counted_low_3_tile);  // UB 0x00000..0x00020
    CountedLow3Gm counted_low_3_in(counted_low_3);
    TLOAD(counted_low_3_tile, counted_low_3_in);
    set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID1);
    VecI32_1x8_c1 counted_high_tile; TASSIGN<0x00020>(counted_high_tile);  // UB 0x00020..0x00040
    CountedLow3Gm counted_high_in(counted_high);
    TLOAD(counted_high_tile, counted_high_in);
    set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID1);
    CountedLow3Gm counted_halves_out(counted_halves);
    TSTORE(counted_halves_out, counted_low_3_tile);
    wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
    CountedLow3Gm counted_halves_out_2(counted_halves + 1);
    TSTORE(counted_halves_out_2, counted_high_tile);
#endif
}

}  // namespace

extern "C" __global__ AICORE void cross_entropy_vec9(
    __gm__ int32_t *counted_halves, __gm__ int32_t *counted_low_3, __gm__ int32_t *counted_high, int32_t nblk)
{
    run_block(counted_halves, counted_low_3, counted_high, nblk, static_cast<int32_t>(get_block_idx()));
}
