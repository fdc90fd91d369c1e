// offsets_vec3: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages offsets; tiles at 1, once 1; memory UB 4608 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecI32_64x8_c1 = Tile<TileType::Vec, int32_t, 64, 8, BLayout::RowMajor, 64, 1>;
using VecI32_1x8_c1 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 1>;
using CountGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *before_1,
    __gm__ int32_t *count,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    for (int32_t once = block; once < 1; once += nblk) {
        // before: cumsum(count, axis=-1) - count
        VecI32_1x64 part; TASSIGN<0x00000>(part);  // UB 0x00000..0x00100
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free again
        CountGm count_in(count);
        TLOAD(part, count_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        VecI32_64x8_c1 across; TASSIGN<0x00200>(across);  // UB 0x00200..0x00a00
        VecI32_1x64 across_tmp; TASSIGN<0x00a00>(across_tmp);  // UB 0x00a00..0x00b00
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        TTRANS(across, part, across_tmp);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        for (int32_t at = 0; at < 63; ++at) {
            VecI32_1x8_c1 following; TASSIGN(following, 0x00220 + at * 0x00020);  // rows at + 1.. of across
            VecI32_1x8_c1 here; TASSIGN(here, 0x00200 + at * 0x00020);  // rows at.. of across
            pipe_barrier(PIPE_V);
            TADD(following, here, following);
        }
        VecI32_1x64 sums; TASSIGN<0x00100>(sums);  // UB 0x00100..0x00200
        VecI32_64x8_c1 sums_tmp; TASSIGN<0x00a00>(sums_tmp);  // UB 0x00a00..0x01200
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TTRANS(sums, across, sums_tmp);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        CountGm before_1_out(before_1);
        TSTORE(before_1_out, sums);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void offsets_vec3(__gm__ int32_t *before_1, __gm__ int32_t *count, int32_t nblk)
{
    run_block(before_1, count, nblk, static_cast<int32_t>(get_block_idx()));
}
