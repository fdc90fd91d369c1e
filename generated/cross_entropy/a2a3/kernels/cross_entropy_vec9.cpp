// cross_entropy_vec9: vector kernel of `cross_entropy` for a2a3. Made by pyptogen; change the spec, not this file.
// stages cross_entropy; tiles once 1; memory UB 64 B
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
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free at first
    for (int32_t once = block; once < 1; once += nblk) {
        // counted: sum(cast(counts, int64), keepdim=true)
        VecI32_1x8_c1 part; TASSIGN<0x00000>(part);  // UB 0x00000..0x00020
        wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free again
        CountedLow3Gm counted_low_3_in(counted_low_3);
        TLOAD(part, counted_low_3_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
        CountedLow3Gm counted_halves_out(counted_halves);
        TSTORE(counted_halves_out, part);
        set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    }
    for (int32_t once = block; once < 1; once += nblk) {
        VecI32_1x8_c1 part_2; TASSIGN<0x00020>(part_2);  // UB 0x00020..0x00040
        wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free again
        CountedLow3Gm counted_high_in(counted_high);
        TLOAD(part_2, counted_high_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
        CountedLow3Gm counted_halves_out(counted_halves + 1);
        TSTORE(counted_halves_out, part_2);
        set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void cross_entropy_vec9(
    __gm__ int32_t *counted_halves, __gm__ int32_t *counted_low_3, __gm__ int32_t *counted_high, int32_t nblk)
{
    run_block(counted_halves, counted_low_3, counted_high, nblk, static_cast<int32_t>(get_block_idx()));
}
