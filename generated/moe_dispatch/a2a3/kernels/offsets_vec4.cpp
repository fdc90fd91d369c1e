// offsets_vec4: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages offsets; tiles whole; memory UB 768 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using Before1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *before,
    __gm__ int32_t *before_1,
    __gm__ int32_t *count,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    // before: cumsum(count, axis=-1) - count
    VecI32_1x64 before_1_tile; TASSIGN<0x00000>(before_1_tile);  // UB 0x00000..0x00100
    Before1Gm before_1_in(before_1);
    TLOAD(before_1_tile, before_1_in);
    VecI32_1x64 count_tile; TASSIGN<0x00100>(count_tile);  // UB 0x00100..0x00200
    Before1Gm count_in(count);
    TLOAD(count_tile, count_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    VecI32_1x64 before_tile; TASSIGN<0x00200>(before_tile);  // UB 0x00200..0x00300
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TSUB(before_tile, before_1_tile, count_tile);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    Before1Gm before_out(before);
    TSTORE(before_out, before_tile);
#endif
}

}  // namespace

extern "C" __global__ AICORE void offsets_vec4(
    __gm__ int32_t *before, __gm__ int32_t *before_1, __gm__ int32_t *count, int32_t nblk)
{
    run_block(before, before_1, count, nblk, static_cast<int32_t>(get_block_idx()));
}
