// places_vec3: vector kernel of `grouped_matmul` for a2a3. Made by pyptogen; change the spec, not this file.
// stages places; tiles at 1, once 1; memory UB 1152 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x16 = Tile<TileType::Vec, int32_t, 1, 16, BLayout::RowMajor, 1, 16>;
using VecI32_16x8_c1 = Tile<TileType::Vec, int32_t, 16, 8, BLayout::RowMajor, 16, 1>;
using VecI32_1x8_c1 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 1>;
using NeedGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *upto,
    __gm__ int32_t *need,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    for (int32_t once = block; once < 1; once += nblk) {
        // upto:  cumsum(need, axis=-1)
        VecI32_1x16 part; TASSIGN<0x00000>(part);  // UB 0x00000..0x00040
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free again
        NeedGm need_in(need);
        TLOAD(part, need_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        VecI32_16x8_c1 across; TASSIGN<0x00080>(across);  // UB 0x00080..0x00280
        VecI32_1x16 across_tmp; TASSIGN<0x00280>(across_tmp);  // UB 0x00280..0x002c0
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        TTRANS(across, part, across_tmp);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        for (int32_t at = 0; at < 15; ++at) {
            VecI32_1x8_c1 following; TASSIGN(following, 0x000a0 + at * 0x00020);  // rows at + 1.. of across
            VecI32_1x8_c1 here; TASSIGN(here, 0x00080 + at * 0x00020);  // rows at.. of across
            pipe_barrier(PIPE_V);
            TADD(following, here, following);
        }
        VecI32_1x16 sums; TASSIGN<0x00040>(sums);  // UB 0x00040..0x00080
        VecI32_16x8_c1 sums_tmp; TASSIGN<0x00280>(sums_tmp);  // UB 0x00280..0x00480
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TTRANS(sums, across, sums_tmp);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        NeedGm upto_out(upto);
        TSTORE(upto_out, sums);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void places_vec3(__gm__ int32_t *upto, __gm__ int32_t *need, int32_t nblk)
{
    run_block(upto, need, nblk, static_cast<int32_t>(get_block_idx()));
}
