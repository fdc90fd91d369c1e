// offsets_vec3: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages offsets; tiles at 1; memory UB 4864 B
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
    __gm__ int32_t *before,
    __gm__ int32_t *count,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    // before: cumsum(count, axis=-1) - count
    VecI32_1x64 count_tile; TASSIGN<0x00000>(count_tile);  // UB 0x00000..0x00100
    CountGm count_in(count);
    TLOAD(count_tile, count_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    VecI32_64x8_c1 before_1_moved; TASSIGN<0x00200>(before_1_moved);  // UB 0x00200..0x00a00
    VecI32_64x8_c1 before_1_moved_tmp; TASSIGN<0x00a00>(before_1_moved_tmp);  // UB 0x00a00..0x01200
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TTRANS(before_1_moved, count_tile, before_1_moved_tmp);
    for (int32_t at = 0; at < 63; ++at) {
        VecI32_1x8_c1 before_1_moved_next; TASSIGN(before_1_moved_next, 0x00220 + at * 0x00020);  // rows at + 1.. of before_1_moved
        VecI32_1x8_c1 before_1_moved_here; TASSIGN(before_1_moved_here, 0x00200 + at * 0x00020);  // rows at.. of before_1_moved
        pipe_barrier(PIPE_V);
        TADD(before_1_moved_next, before_1_moved_here, before_1_moved_next);
    }
    VecI32_1x64 before_1; TASSIGN<0x00a00>(before_1);  // UB 0x00a00..0x00b00
    VecI32_64x8_c1 before_1_tmp; TASSIGN<0x00b00>(before_1_tmp);  // UB 0x00b00..0x01300
    pipe_barrier(PIPE_V);
    TTRANS(before_1, before_1_moved, before_1_tmp);
    VecI32_1x64 before_tile; TASSIGN<0x00100>(before_tile);  // UB 0x00100..0x00200
    pipe_barrier(PIPE_V);
    TSUB(before_tile, before_1, count_tile);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    CountGm before_out(before);
    TSTORE(before_out, before_tile);
#endif
}

}  // namespace

extern "C" __global__ AICORE void offsets_vec3(__gm__ int32_t *before, __gm__ int32_t *count, int32_t nblk)
{
    run_block(before, count, nblk, static_cast<int32_t>(get_block_idx()));
}
